/// `pawl run FILE`: submits a job and works on it until it has ended or waits only for reviewers.

#include <algorithm>
#include <iterator>
#include <utility>

#include "actions/submission.hpp"
#include "actions/submission_turn.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/items_source.hpp"
#include "cli/input/params.hpp"
#include "cli/output/job_view.hpp"
#include "cli/project/workflow_source.hpp"
#include "cli/work/dry_run.hpp"
#include "cli/work/job_work.hpp"
#include "cli/work/needs.hpp"
#include "pawl/views/documents.hpp"
#include "views/people_warnings.hpp"

namespace pawl::cli {

using actions::Begun;
using actions::FirstItems;
using actions::Submission;
using actions::SubmissionTurn;
using actions::unfinished_job;

namespace {

struct RunOptions {
  std::string file;
  std::vector<std::string> params;   ///< "k=v"
  std::optional<std::string> items;  ///< a glob, a file, or "-"; none: those of the workflow file
  bool dry_run = false;
  bool detach = false;
  bool fresh = false;
  bool is_new = false;
  std::string key;
  std::optional<std::uint32_t> parallel;
  bool keep_running = false;
  std::string file_quota;
  std::string as;

  /// Whether the job may run beside an unfinished one of the same workflow.
  [[nodiscard]] bool may_be_beside() const { return is_new || !key.empty(); }
};

Status nothing_unfinished(Store& store, const std::string& workflow, const std::string& file) {
  const Result<std::optional<Job>> other = unfinished_job(store.records(), workflow);
  if (!other) return std::unexpected(other.error());
  if (!*other) return {};
  const std::string number = std::to_string((*other)->id.value());
  return pawl::fail(ErrorCode::conflict,
                    "job " + number + " of workflow '" + printable(workflow) + "' is not finished",
                    "continue it:  pawl resume " + number +
                        "   or start another job beside it:  pawl run " + file + " --new");
}

std::string opening_line(const Job& job) {
  std::string line = "job " + std::to_string(job.id.value()) + " · " +
                     printable(job.workflow_name) + " · " + counted(job.items.total, "item");
  const std::int64_t adopted = job.items.adopted + job.items.adopted_rejected;
  if (adopted > 0) line += " (" + with_separators(adopted) + " finished before)";
  std::string budget;
  const auto add = [&](const std::string& part) { budget += (budget.empty() ? "" : ", ") + part; };
  if (job.budget.cost_microusd) add(dollars(*job.budget.cost_microusd));
  if (job.budget.max_total_attempts) add(counted(*job.budget.max_total_attempts, "attempt"));
  if (job.budget.deadline) add(in_words(*job.budget.deadline));
  return budget.empty() ? line : line + " · budget " + budget;
}

Result<Submission> prepare(const RunOptions& options, const WorkflowSource& source,
                           WorkflowFile file) {
  Result<Json> params = read_params(file.params, options.params);
  if (!params) return std::unexpected(params.error());
  Submission submission{.path = source.path,
                        .directory = source.directory,
                        .file = std::move(file),
                        .items = {},
                        .params = std::move(*params),
                        .key = options.key,
                        .adopt = false,
                        .parallel = options.parallel.value_or(0),
                        .by = Session::actor(options.as)};
  submission.items = submission.file.items;
  if (options.items) {
    Result<ItemsSpec> named =
        items_named(*options.items, submission.file.items, submission.directory);
    if (!named) return std::unexpected(named.error());
    submission.items = std::move(*named);
  }
  submission.adopt = !options.fresh && !submission.items.id.empty();
  if (submission.parallel == 0) submission.parallel = submission.file.parallel;
  if (submission.parallel == 0) submission.parallel = processors();
  return submission;
}

int dry_run(Session& session, const RunOptions& options, const WorkflowSource& source,
            Submission submission) {
  // A dry run creates no store.
  std::shared_ptr<Store> store;
  if (const auto opened = session.store(); opened) {
    store = *opened;
  } else if (opened.error().code == ErrorCode::not_found) {
    store = open_memory_store(system_clock());
  } else {
    return session.fail(opened.error());
  }
  say_which_store(session, source);
  Result<Json> files = actions::compared_files(store->records(), submission);
  if (!files) return session.fail(files.error());
  submission.files = std::move(*files);
  const Workflow& workflow = submission.file.workflow;
  const Result<Plan> plan = plan_run(store->records(), submission, options.fresh);
  if (!plan) return session.fail(plan.error());
  const Result<std::optional<Job>> other = unfinished_job(store->records(), workflow.name());
  if (!other) return session.fail(other.error());
  if (*other && !options.is_new) {
    const std::string number = std::to_string((*other)->id.value());
    session.say("job " + number + " of this workflow is not finished: `pawl resume " + number +
                "` continues it, `pawl run --new` starts the following");
  }
  return session.present({.document = [&] { return plan_document(*plan, workflow); },
                          .text = [&] { return plan_text(*plan, workflow); }});
}

/// The engine of this command does not accept a run directory that others can write to, so check
/// it before the submission.
Status check_run_directory(Session& session) {
  const Result<std::filesystem::path> path = session.run_directory();
  if (!path) return std::unexpected(path.error());
  return session.check_owner(*path);
}

/// Waits until no other process on this machine is submitting.
Result<SubmissionTurn> wait_for_turn(const Session& session) {
  const Result<std::filesystem::path> run_directory = session.run_directory();
  if (!run_directory) return std::unexpected(run_directory.error());
  const Result<files::LockPatience> patience = Session::lock_patience();
  if (!patience) return std::unexpected(patience.error());
  return SubmissionTurn::wait_for(*run_directory, *patience);
}

/// Submits the job, unless the workflow has an unfinished one. A lock covers the check and the
/// submission, so that only one of several concurrent processes submits.
Result<Begun> submit(Session& session, Store& store, Engine* engine, const RunOptions& options,
                     const Submission& submission, FirstItems first) {
  std::optional<SubmissionTurn> turn;
  if (!options.may_be_beside()) {
    Result<SubmissionTurn> ours = wait_for_turn(session);
    if (!ours) return std::unexpected(ours.error());
    turn = std::move(*ours);
    const Status free = nothing_unfinished(store, submission.file.workflow.name(), options.file);
    if (!free) return std::unexpected(free.error());
  }
  Result<std::vector<std::string>> warnings =
      views::people_warnings(store, submission.file, submission.by, Session::local_actor());
  if (!warnings) return std::unexpected(warnings.error());
  std::ranges::move(actions::item_warnings(submission.items, first.items),
                    std::back_inserter(*warnings));
  Result<Begun> begun =
      actions::submit_job(store, engine, submission, std::move(first), [&](const Begun& it) {
        turn.reset();
        if (it.was_known) return;
        for (const std::string& warning : *warnings) {
          session.say("warning: " + printable(warning));
        }
      });
  if (!begun || !begun->was_known) return begun;
  session.say("job " + std::to_string(begun->job.id.value()) + " already has the key '" +
              printable(options.key) + "'; nothing was submitted");
  if (begun->job.trust == Trust::untrusted) return std::unexpected(not_trusted(begun->job));
  return begun;
}

int run(Session& session, const RunOptions& options) {
  if (const auto parallel = parallel_from(options.parallel); !parallel) {
    return session.fail(parallel.error());
  }
  const Result<std::int64_t> file_quota = file_quota_from(options.file_quota);
  if (!file_quota) return session.fail(file_quota.error());
  Result<WorkflowSource> source = read_workflow_source(session, options.file);
  if (!source) {
    session.fail(source.error());
    return exit_usage;
  }
  // The file decides what runs, and commands are searched for in its directory.
  for (const std::filesystem::path& path : {source->path, source->directory}) {
    if (const Status safe = session.check_owner(path); !safe) return session.fail(safe.error());
  }
  std::optional<WorkflowFile> file = load_or_show(session, *source);
  if (!file) return exit_usage;
  session.use_project(source->home);
  Result<Submission> submission = prepare(options, *source, std::move(*file));
  if (!submission) return session.fail(submission.error());
  if (options.dry_run) return dry_run(session, options, *source, std::move(*submission));

  const StopSignals signals;
  if (const Status fit = check_server(session); !fit) return session.fail(fit.error());
  const auto store = session.store_or_create();
  if (!store) return session.fail(store.error());
  say_which_store(session, *source);
  // Check this before the items are read, which may take long.
  if (!options.may_be_beside()) {
    const Status free = nothing_unfinished(**store, submission->file.workflow.name(), options.file);
    if (!free) return session.fail(free.error());
  }
  if (!options.detach) {
    const Status safe = check_run_directory(session);
    if (!safe) return session.fail(safe.error());
    const Status has_needs = check_needs(session, submission->file.workflow, submission->directory);
    if (!has_needs) return session.fail(has_needs.error());
  }
  Result<Json> files = actions::compared_files((*store)->records(), *submission);
  if (!files) return session.fail(files.error());
  submission->files = std::move(*files);
  Result<FirstItems> first = actions::read_first_items(*submission);
  if (!first) return session.fail(first.error());
  Worker worker(session, *store, signals,
                {.parallel = submission->parallel,
                 .keep_running = options.keep_running,
                 .file_quota = *file_quota});
  if (!options.detach) {
    if (const Status enlisted = worker.enlist(); !enlisted) return session.fail(enlisted.error());
  }
  const Result<Begun> begun = submit(session, **store, options.detach ? nullptr : &worker.engine(),
                                     options, *submission, std::move(*first));
  if (!begun) return session.fail(begun.error());
  const Job& job = begun->job;
  if (options.detach) {
    std::string number = std::to_string(job.id.value());
    session.present({.document = [&] { return job_document(job, submission->file.workflow); },
                     .text = [&] { return opening_line(job) + "\n"; },
                     .id = [&] { return number; }});
    if (!job.has_ended()) {
      session.say(std::string(begun->was_known ? "" : "submitted; ") +
                  "continue with:  pawl resume " + number + "   or:  pawl work");
    }
    return exit_done;
  }
  session.say(opening_line(job));
  // Only a job that was known by its key can still be open: an earlier process died while it
  // submitted.
  if (job.submission_open && !job.has_ended()) {
    if (const Status finished = actions::finish_submission(worker.engine(), job, submission->by);
        !finished) {
      return session.fail(finished.error());
    }
  }
  return work_on_job(worker, job.id);
}

}  // namespace

CommandEntry run_command() {
  return command(
      "run", "pawl run documents.yaml --param corpus=samples",
      "Submit a job and work on it until it has ended or waits only for reviewers.", &run,
      [](RunOptions& it) -> Words {
        return {
            argument(&it.file, "FILE", "The workflow file"),
            option("--param", &it.params, "K=V", "Set a parameter; may be repeated"),
            option("--items", &it.items, "GLOB|FILE|-",
                   "Take the items from here instead of the workflow file"),
            flag("--dry-run", it.dry_run, "Report what would run and why, and run nothing"),
            flag("--detach", it.detach, "Submit the job, and do not work on it"),
            flag("--fresh", it.fresh, "Run all items, also those that an earlier job has finished"),
            flag("--new", it.is_new, "Start another job beside an unfinished one"),
            option("--key", &it.key, "NAME", "Submit only once under this name"),
            option("--parallel", &it.parallel, "N",
                   "Maximum attempts at the same time; default: parallel of the workflow file, "
                   "else the number of processors"),
            keep_running_flag(it.keep_running),
            file_quota_option(it.file_quota),
            person_option(it.as),
        };
      });
}

}  // namespace pawl::cli
