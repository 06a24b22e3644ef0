#include "cli/work/job_work.hpp"

#include <utility>

#include "cli/output/job_view.hpp"
#include "cli/work/needs.hpp"
#include "pawl/views/documents.hpp"

namespace pawl::cli {

namespace {

/// A worker on one job.
class JobWork {
 public:
  JobWork(Worker& worker, Workflow workflow)
      : worker_(worker), session_(worker.session()), workflow_(std::move(workflow)) {}

  int carry_out(JobId id) {
    if (const Status started = worker_.start(id); !started) return session_.fail(started.error());
    const Result<Job> waited = worker_.engine().wait(id, [this](const Result<Job>& job) {
      worker_.show_remarks();
      if (job) worker_.progress().show(*job, workflow_);
      const bool is_over = job && (views::is_held_by_paused_stages(*job) || is_left(*job));
      return worker_.may_continue() && !is_over;
    });
    if (!waited) worker_.show_remarks();
    const Status stopped = worker_.stop();
    if (!stopped) return session_.fail(stopped.error());
    const int code = report(id);
    return left_.empty() ? code : say_what_is_missing(id);
  }

 private:
  /// Whether nobody works on the job and what could go on needs something that is not here. Waiting
  /// for other workers could take forever.
  bool is_left(const Job& job) {
    if (worker_.is_interrupted() || job.attempts_open > 0 || is_work_over(job)) return false;
    left_ = left_stages(workflow_, job);
    const auto runs = [this](const std::string& stage) { return !left_.contains(stage); };
    if (!is_left_to_others(job, workflow_, runs)) left_.clear();
    return !left_.empty();
  }

  int say_what_is_missing(JobId id) {
    std::string text;
    for (const auto& [stage, why] : left_) {
      text += (text.empty() ? "" : "; ") + ("stage '" + printable(stage)) + "': " + why;
    }
    return session_.fail({ErrorCode::refused, text,
                          "nothing was lost. put it in place and continue with `pawl resume " +
                              std::to_string(id.value()) + "`, or run `pawl work` where it is"});
  }

  /// Reads the job again, because stopping gives attempts back.
  int report(JobId id) {
    const Result<Job> job = worker_.engine().records().job(id);
    if (!job) return session_.fail(job.error());
    worker_.progress().finish(*job, workflow_);
    std::string number = std::to_string(job->id.value());
    const auto document = [&] { return job_document(*job, workflow_); };
    if (worker_.is_interrupted() && !is_work_over(*job)) {
      session_.present({.document = document});
      session_.say("nothing was lost. continue with:  pawl resume " + number);
      return exit_interrupted;
    }
    const auto text = [&] {
      return "job " + number + " " + state_in_words(*job) + "  " + items_in_words(*job) + "\n";
    };
    session_.present({.document = document, .text = text, .id = [&] { return number; }});
    say_what_is_next(*job);
    return exit_code_of(*job);
  }

  void say_what_is_next(const Job& job) {
    const std::int64_t reviews = tasks_in(job, StateKind::awaiting_review);
    if (reviews > 0 && !job.cancelled) {
      session_.say(counted(reviews, "review waits", "reviews wait") +
                   " for a person:  pawl review next");
    }
    if (job.dead_letters > 0) {
      session_.say(counted(job.dead_letters, "dead letter") + ":  pawl dlq list --by error");
    }
    if (state_of(job) == JobState::paused) session_.say(way_out_of_pause(job));
    for (const std::string& line : ways_out_of_stage_pauses(job, workflow_)) session_.say(line);
  }

  Worker& worker_;
  Session& session_;
  const Workflow workflow_;
  LeftStages left_;  ///< why the wait ended; empty: not for this reason
};

}  // namespace

int work_on_job(Worker& worker, JobId id) {
  Records& records = worker.engine().records();
  const Result<Job> job = records.job(id);
  if (!job) return worker.session().fail(job.error());
  Result<Workflow> workflow = records.workflow(job->workflow_hash);
  if (!workflow) return worker.session().fail(workflow.error());
  if (const auto unfit = worker.unfit_directory(*job)) {
    return worker.session().fail(
        {unfit->code, "job " + std::to_string(id.value()) + " cannot run here: " + unfit->message,
         unfit->help});
  }
  return JobWork(worker, std::move(*workflow)).carry_out(id);
}

}  // namespace pawl::cli
