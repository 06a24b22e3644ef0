/// `pawl import checkpoint PATH`: brings in the state of an older MapReduce runner.

#include <fstream>
#include <iterator>
#include <map>

#include "cli/commands/commands.hpp"
#include "cli/input/params.hpp"
#include "cli/output/job_view.hpp"
#include "cli/project/workflow_source.hpp"
#include "pawl/compat/legacy_import.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace fs = std::filesystem;

namespace {

struct ImportCheckpointOptions {
  std::string checkpoint;
  std::string dead_letters;  ///< empty: none
  std::string workflow;
  std::vector<std::string> params;  ///< "k=v"
  bool dry_run = false;
  std::string as;
};

Result<std::string> read_whole(Session& session, const std::string& name) {
  const fs::path path = session.directory() / name;
  std::error_code ignored;
  std::ifstream file;
  if (!fs::is_directory(path, ignored)) file.open(path, std::ios::binary);
  if (!file.is_open()) {
    return pawl::fail(ErrorCode::not_found, "cannot read file '" + printable(name) + "'",
                      "pass the JSON file of the checkpoint, not its directory");
  }
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (file.bad()) {
    return pawl::fail(ErrorCode::unavailable, "cannot read '" + printable(name) + "' to its end");
  }
  return text;
}

Result<ImportPlan> read_plan(Session& session, const ImportCheckpointOptions& options) {
  const Result<std::string> checkpoint = read_whole(session, options.checkpoint);
  if (!checkpoint) return std::unexpected(checkpoint.error());
  std::optional<std::string> letters;
  if (!options.dead_letters.empty()) {
    Result<std::string> read = read_whole(session, options.dead_letters);
    if (!read) return std::unexpected(read.error());
    letters = std::move(*read);
  }
  if (!looks_like_checkpoint(*checkpoint)) {
    return pawl::fail(ErrorCode::invalid,
                      "not a checkpoint: '" + printable(options.checkpoint) +
                          "' has no work_items, agent_results, completed_agents or failed_agents",
                      "to import an export of pawl: pawl import FILE");
  }
  return read_checkpoint(*checkpoint, letters);
}

using Counts = std::map<ImportState, std::int64_t>;

Counts counts_of(const ImportPlan& plan) {
  Counts counts;
  for (const ImportedItem& item : plan.items) ++counts[item.state];
  return counts;
}

std::string in_words(const ImportPlan& plan, Counts counts) {
  return counted(static_cast<std::int64_t>(plan.items.size()), "item") + ": " +
         with_separators(counts[ImportState::completed]) + " done, " +
         with_separators(counts[ImportState::due]) + " to try again, " +
         with_separators(counts[ImportState::fresh]) + " not tried, " +
         counted(counts[ImportState::dead], "dead letter");
}

Json plan_document(const ImportPlan& plan, Counts counts, const Json& job) {
  std::vector<Json> ignored;
  for (const std::string& path : plan.ignored) ignored.emplace_back(path);
  return Json::object({{"job", job},
                       {"imported_from", plan.job_id},
                       {"items", static_cast<std::int64_t>(plan.items.size())},
                       {"completed", counts[ImportState::completed]},
                       {"due", counts[ImportState::due]},
                       {"fresh", counts[ImportState::fresh]},
                       {"dead", counts[ImportState::dead]},
                       {"ignored", Json::array(ignored)}});
}

void report_ignored(Session& session, const ImportPlan& plan) {
  if (plan.ignored.empty()) return;
  session.say("note: " + counted(static_cast<std::int64_t>(plan.ignored.size()), "field") +
              " of the old files have no meaning here" +
              (session.globals().verbose ? ":" : "; list them with -v"));
  if (!session.globals().verbose) return;
  for (const std::string& path : plan.ignored) session.say("  " + printable(path));
}

int import_old(Session& session, const ImportCheckpointOptions& options) {
  const Result<WorkflowSource> source = read_workflow_source(session, options.workflow);
  if (!source) {
    session.fail(source.error());
    return exit_usage;
  }
  // The file decides what runs later.
  for (const std::filesystem::path& path : {source->path, source->directory}) {
    if (const Status safe = session.check_owner(path); !safe) return session.fail(safe.error());
  }
  const std::optional<WorkflowFile> file = load_or_show(session, *source);
  if (!file) return exit_usage;
  session.use_project(source->home);
  Result<Json> params = read_params(file->params, options.params);
  if (!params) return session.fail(params.error());
  const Result<ImportPlan> plan = read_plan(session, options);
  if (!plan) return session.fail(plan.error());
  const Counts counts = counts_of(*plan);
  report_ignored(session, *plan);
  if (options.dry_run) {
    session.present({.document = [&] { return plan_document(*plan, counts, Json()); },
                     .text = [&] { return in_words(*plan, counts) + "\n"; }});
    session.say("nothing was changed");
    return exit_done;
  }
  const Result<std::shared_ptr<Store>> store = session.store_or_create();
  if (!store) return session.fail(store.error());
  say_which_store(session, *source);
  const CheckpointJob with{.params = std::move(*params),
                           .labels = Json::object({{"project", source->directory.string()},
                                                   {"file", source->path.string()}}),
                           .budget = file->budget,
                           .tolerate_failures = file->tolerate_failures,
                           .by = Session::actor(options.as)};
  const Result<Job> job = import_checkpoint(**store, file->workflow, *plan, with);
  if (!job) return session.fail(job.error());
  std::string number = std::to_string(job->id.value());
  session.present({.document = [&] { return plan_document(*plan, counts, Json(job->id.value())); },
                   .text = [&] { return "job " + number + "  " + in_words(*plan, counts) + "\n"; },
                   .id = [&] { return number; }});
  if (!job->has_ended()) session.say("continue with:  pawl resume " + number);
  if (job->dead_letters > 0) session.say("dead letters:  pawl dlq show " + number);
  return exit_done;
}

}  // namespace

CommandEntry import_checkpoint_command() {
  return command(
      "import checkpoint", "pawl import checkpoint checkpoint.json --workflow documents.yaml",
      "Import the checkpoint and the dead letters of an older MapReduce runner as a job.",
      &import_old, [](ImportCheckpointOptions& it) -> Words {
        return {
            argument(&it.checkpoint, "PATH", "The checkpoint: a JSON file"),
            required_option("--workflow", &it.workflow, "FILE",
                            "The workflow that continues the work, with one first stage"),
            option("--dead-letters", &it.dead_letters, "FILE",
                   "The dead letters: one JSON document, or one per line"),
            option("--param", &it.params, "K=V", "Set a parameter; may be repeated"),
            flag("--dry-run", it.dry_run, "Report what would be imported, and change nothing"),
            person_option(it.as),
        };
      });
}

}  // namespace pawl::cli
