/// `pawl graph FILE|JOB` and `pawl describe FILE|JOB`: show the workflow of a file, or the pinned
/// workflow of a job.

#include "cli/output/graph.hpp"

#include <algorithm>
#include <optional>

#include "cli/commands/commands.hpp"
#include "cli/project/workflow_source.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/workflow.hpp"

namespace pawl::cli {
namespace {

struct GraphOptions {
  std::string target;  ///< a file or a job
  std::string format = "ascii";
};

struct DescribeOptions {
  std::string target;
};

/// What FILE|JOB names.
struct Named {
  std::optional<Workflow> workflow;
  std::optional<Job> job;
  std::optional<WorkflowFile> file;
  int exit_code = exit_done;
};

Named find_target(Session& session, const std::string& name) {
  const bool is_number = !name.empty() && name.size() < 19 &&
                         std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
  Named target;
  if (!is_number) {
    const Result<WorkflowSource> source = read_workflow_source(session, name);
    if (!source) {
      target.exit_code = session.fail(source.error());
      return target;
    }
    target.file = load_or_show(session, *source);
    if (target.file) target.workflow = target.file->workflow;
    if (!target.file) target.exit_code = exit_usage;
    return target;
  }
  const auto store = session.store();
  if (!store) {
    target.exit_code = session.fail(store.error());
    return target;
  }
  const Result<Job> job = (*store)->records().job(JobId{std::stoll(name)});
  if (!job) {
    target.exit_code = session.fail(job.error());
    return target;
  }
  const Result<Workflow> workflow = (*store)->records().workflow(job->workflow_hash);
  if (!workflow) {
    target.exit_code = session.fail(workflow.error());
    return target;
  }
  target.job = *job;
  target.workflow = *workflow;
  return target;
}

int graph(Session& session, const GraphOptions& options) {
  const std::string format = session.prints_json() ? "json" : options.format;
  const Named target = find_target(session, options.target);
  if (!target.workflow) return target.exit_code;
  const Workflow& workflow = *target.workflow;
  if (format == "ascii") {
    session.print(ascii_graph(workflow));
  } else if (format == "mermaid") {
    session.print(mermaid_graph(workflow));
  } else if (format == "dot") {
    session.print(dot_graph(workflow));
  } else {
    session.print(graph_document(workflow, target.job ? &*target.job : nullptr));
  }
  return exit_done;
}

int describe(Session& session, const DescribeOptions& options) {
  const Named target = find_target(session, options.target);
  if (!target.workflow) return target.exit_code;
  std::vector<std::pair<std::string, Json>> all =
      members(pawl::describe(target.workflow->definition()));
  all.insert(all.begin() + 1, {"hash", target.workflow->hash()});
  if (target.file) {
    std::vector<std::pair<std::string, Json>> params;
    for (const ParamSpec& param : target.file->params) {
      std::vector<std::pair<std::string, Json>> one = {{"type", name_of(param.type)}};
      if (param.fallback) one.emplace_back("default", *param.fallback);
      params.emplace_back(param.name, Json::object(one));
    }
    if (!params.empty()) all.emplace_back("params", Json::object(params));
    all.emplace_back("items", pawl::describe(target.file->items));
  }
  if (target.job) {
    all.emplace_back("job", target.job->id.value());
    all.emplace_back("params", target.job->params);
  }
  const Json document = Json::object(all);
  return session.present({.document = [&] { return document; },
                          .text = [&] { return printable_lines(pretty(document)) + "\n"; }});
}

}  // namespace

CommandEntry graph_command() {
  return command("graph", "pawl graph documents.yaml --format mermaid",
                 "Draw the stages of a file or a job.", &graph, [](GraphOptions& it) -> Words {
                   return {argument(&it.target, "FILE|JOB", "A workflow file or a job number"),
                           choice("--format", &it.format, {"ascii", "mermaid", "dot", "json"},
                                  "The output format; default: ascii")};
                 });
}

CommandEntry describe_command() {
  return command("describe", "pawl describe documents.yaml",
                 "Print the workflow as it is stored and hashed.", &describe,
                 [](DescribeOptions& it) -> Words {
                   return {argument(&it.target, "FILE|JOB", "A workflow file or a job number")};
                 });
}

}  // namespace pawl::cli
