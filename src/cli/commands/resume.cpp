/// `pawl resume [JOB]`: continues a job after a stop, with the definition it was submitted with.

#include "actions/submission.hpp"
#include "cli/commands/commands.hpp"
#include "cli/input/address.hpp"
#include "cli/output/job_view.hpp"
#include "cli/project/workflow_source.hpp"
#include "cli/work/job_work.hpp"
#include "cli/work/needs.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {
namespace {

struct ResumeOptions {
  std::optional<std::int64_t> job;
  bool keep_running = false;
  std::string file_quota;
  std::string as;
};

/// The job to continue: the named one, else the newest unfinished one, else the newest.
Result<Job> find_job(Records& records, const std::optional<std::int64_t>& number) {
  if (number) return records.job(JobId{*number});
  const auto unended =
      records.jobs({.ended = false, .workflow_name = {}, .before = {}, .limit = 1});
  if (!unended) return std::unexpected(unended.error());
  return unended->empty() ? newest_job(records) : unended->front();
}

/// Reports a changed file, because the change does not affect a submitted job.
void say_if_changed(Session& session, const Job& job) {
  const std::string file = views::label(job, "file");
  if (file.empty()) return;
  const Result<WorkflowSource> source = read_workflow_source(session, file);
  if (!source) return;
  const auto loaded = load_workflow_file(
      source->text, {.name = source->name, .project = views::label(job, "project")});
  if (loaded && loaded->workflow.hash() == job.workflow_hash) return;
  session.say("note: " + printable(file) + " has changed since job " +
              std::to_string(job.id.value()) +
              " was submitted; the job continues with its original definition");
}

int resume(Session& session, const ResumeOptions& options) {
  const Result<std::int64_t> file_quota = file_quota_from(options.file_quota);
  if (!file_quota) return session.fail(file_quota.error());
  const StopSignals signals;
  if (const Status fit = check_server(session); !fit) return session.fail(fit.error());
  const auto store = session.store();
  if (!store) return session.fail(store.error());
  const Result<Job> job = find_job((*store)->records(), options.job);
  if (!job) return session.fail(job.error());
  const std::string number = std::to_string(job->id.value());
  const Result<Workflow> workflow = (*store)->records().workflow(job->workflow_hash);
  if (!workflow) return session.fail(workflow.error());
  if (job->trust == Trust::untrusted) return session.fail(not_trusted(*job));
  if (job->has_ended() || state_of(*job) == JobState::paused) {
    const bool is_paused = state_of(*job) == JobState::paused;
    const auto text = [&] {
      return "job " + number + " " + state_in_words(*job) +
             (is_paused ? "\n" : "; nothing is left to do\n");
    };
    session.present({.document = [&] { return job_document(*job, *workflow); }, .text = text});
    if (is_paused) session.say(way_out_of_pause(*job));
    return exit_code_of(*job);
  }
  if (const std::vector<std::string> foreign = stages_of_programs(*workflow); !foreign.empty()) {
    return session.fail(
        {.code = ErrorCode::refused,
         .message = "job " + number +
                    " was submitted by a program, and only that program has the code of stage '" +
                    printable(foreign.front()) + "'",
         .help = "run that program on this store"});
  }
  const Status has_needs = check_needs(session, *workflow, views::label(*job, "project"), &*job);
  if (!has_needs) return session.fail(has_needs.error());
  say_if_changed(session, *job);
  Worker worker(session, *store, signals,
                {.parallel = job->parallel > 0 ? job->parallel : processors(),
                 .keep_running = options.keep_running,
                 .file_quota = *file_quota});
  if (const Status enlisted = worker.enlist(); !enlisted) return session.fail(enlisted.error());
  if (job->submission_open) {
    if (const Status finished =
            actions::finish_submission(worker.engine(), *job, Session::actor(options.as));
        !finished) {
      return session.fail(finished.error());
    }
  }
  return work_on_job(worker, job->id);
}

}  // namespace

CommandEntry resume_command() {
  return command(
      "resume", "pawl resume 41", "Continue a job after a stop.", &resume,
      [](ResumeOptions& it) -> Words {
        return {optional_argument(&it.job, "JOB", "The job; default: the newest unfinished one"),
                keep_running_flag(it.keep_running), file_quota_option(it.file_quota),
                person_option(it.as)};
      });
}

}  // namespace pawl::cli
