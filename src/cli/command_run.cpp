/// `pawl run FILE`: submits a job and works on it until nothing is left but people, or the end.

#include <utility>

#include "cli/commands.hpp"
#include "cli/dry_run.hpp"
#include "cli/submission.hpp"
#include "cli/working.hpp"
#include "pawl/codec/documents.hpp"

namespace pawl::cli {

namespace {

/// "k=v" texts; the first fault ends it, naming the text.
Result<std::map<std::string, std::string>> given_params(const std::vector<std::string>& texts) {
  std::map<std::string, std::string> given;
  for (const std::string& text : texts) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      return pawl::fail(ErrorCode::invalid, "'" + text + "' is not a param",
                        "write --param name=value");
    }
    if (!given.emplace(text.substr(0, sign), text.substr(sign + 1)).second) {
      return pawl::fail(ErrorCode::invalid,
                        "the param '" + text.substr(0, sign) + "' is given twice");
    }
  }
  return given;
}

/// The unfinished job of this workflow that a new one would stand beside.
std::optional<Job> unfinished_job(Store& store, const std::string& workflow) {
  const auto jobs =
      store.records().jobs({.ended = false, .workflow_name = workflow, .before = {}, .limit = 1});
  return jobs && !jobs->empty() ? std::optional(jobs->front()) : std::nullopt;
}

std::string opening_line(const Job& job) {
  std::string line = "job " + std::to_string(job.id.value()) + " · " +
                     printable(job.workflow_name) + " · " + counted(job.items.total, "item");
  if (job.items.adopted > 0) {
    line += " (" + with_separators(job.items.adopted) + " finished before)";
  }
  std::string budget;
  const auto add = [&](const std::string& part) { budget += (budget.empty() ? "" : ", ") + part; };
  if (job.budget.cost_microusd) add(dollars(*job.budget.cost_microusd));
  if (job.budget.max_total_attempts) add(counted(*job.budget.max_total_attempts, "attempt"));
  if (job.budget.deadline) add(in_words(*job.budget.deadline));
  return budget.empty() ? line : line + " · budget " + budget;
}

/// Where items come from, for people.
std::string where_from(const ItemsSpec& items) {
  switch (items.kind) {
    case ItemsSpec::Kind::glob:
      return "the glob '" + printable(items.source) + "'";
    case ItemsSpec::Kind::file:
      return "the file '" + printable(items.source) + "'";
    case ItemsSpec::Kind::run:
      return "the command '" + printable(items.argv.empty() ? "" : items.argv.front()) + "'";
    case ItemsSpec::Kind::list:
    case ItemsSpec::Kind::one:
      break;
  }
  return "the list";
}

Result<Submission> prepare(const RunOptions& options, WorkflowSource source, WorkflowFile file) {
  const auto given = given_params(options.params);
  if (!given) return std::unexpected(given.error());
  Result<Json> params = bind_params(file.params, *given);
  if (!params) return std::unexpected(params.error());
  Submission submission{.source = std::move(source),
                        .file = std::move(file),
                        .items = {},
                        .params = std::move(*params),
                        .key = options.key,
                        .adopt = false,
                        .parallel = options.parallel};
  submission.items = options.items.empty() ? submission.file.items
                                           : items_named(options.items, submission.file.items,
                                                         submission.source.project);
  submission.adopt = !options.fresh && !submission.items.id.empty();
  if (submission.parallel == 0) submission.parallel = submission.file.parallel;
  if (submission.parallel == 0) submission.parallel = processors();
  return submission;
}

int dry_run(Session& session, const RunOptions& options, const Submission& submission) {
  // Where there is no store yet, nothing has been done before; none is made.
  std::shared_ptr<Store> store;
  if (const auto opened = session.store(); opened) {
    store = *opened;
  } else if (opened.error().code == ErrorCode::not_found) {
    store = open_memory_store(system_clock());
  } else {
    return session.fail(opened.error());
  }
  const Workflow& workflow = submission.file.workflow;
  const Result<Plan> plan = plan_run(store->records(), submission, options.fresh);
  if (!plan) return session.fail(plan.error());
  if (session.globals().wants_json()) {
    session.print(plan_document(*plan, workflow));
    return exit_done;
  }
  if (const auto other = unfinished_job(*store, workflow.name()); other && !options.is_new) {
    const std::string number = std::to_string(other->id.value());
    session.say("job " + number + " of this workflow is not finished: `pawl resume " + number +
                "` goes on with it, `pawl run --new` starts the following");
  }
  session.print(plan_text(*plan, workflow));
  return exit_done;
}

}  // namespace

int run(Session& session, const RunOptions& options) {
  Result<WorkflowSource> source = read_workflow_source(session, options.file);
  if (!source) {
    session.fail(source.error());
    return exit_usage;
  }
  std::optional<WorkflowFile> file = load_or_show(session, *source);
  if (!file) return exit_usage;
  const std::filesystem::path project = source->project;
  const Result<Submission> submission = prepare(options, std::move(*source), std::move(*file));
  if (!submission) return session.fail(submission.error());
  if (options.dry_run) return dry_run(session, options, *submission);

  const StopSignals signals;
  const auto store = session.store_or_create(project);
  if (!store) return session.fail(store.error());
  const std::string& name = submission->file.workflow.name();
  if (!options.is_new && options.key.empty()) {
    if (const auto other = unfinished_job(**store, name)) {
      const std::string number = std::to_string(other->id.value());
      return session.fail(
          {.code = ErrorCode::conflict,
           .message = "job " + number + " of workflow '" + printable(name) + "' is not finished",
           .help = "go on with it:  pawl resume " + number +
                   "   or start another beside it:  pawl run " + options.file + " --new"});
    }
  }
  const Result<Job> job = submit(**store, *submission);
  if (!job) return session.fail(job.error());
  if (options.detach) {
    const std::string number = std::to_string(job->id.value());
    if (session.globals().wants_json()) {
      session.print(job_document(*job, submission->file.workflow));
    } else if (session.globals().quiet) {
      session.print(number + "\n");
    } else {
      session.print(opening_line(*job) + "\n");
      session.say("submitted; work on it with:  pawl resume " + number + "   or:  pawl work");
    }
    return exit_done;
  }
  session.say(opening_line(*job));
  if (job->items.total == 0 && submission->items.kind != ItemsSpec::Kind::list) {
    session.say("warning: " + where_from(submission->items) + " gave no items");
  }
  if (job->submission_open && !job->has_ended()) {
    if (const Status finished = finish_submission(**store, *job); !finished) {
      return session.fail(finished.error());
    }
  }
  return work_on(session, *store, signals, {.job = job->id, .parallel = options.parallel});
}

}  // namespace pawl::cli
