/// Lets a job go on that a limit has ended. The cancel of a job rewrites no task, so only attempts
/// that were running at that time have ended as Cancelled. They run again, in a new epoch.

#include <string>

#include "store/ledger/verbs.hpp"
#include "store/no_such.hpp"

namespace pawl::store {

namespace {

std::string named(const Job& job) { return "job " + std::to_string(job.id.value()); }

/// What ends the pause of a job.
std::string help_for_pause(const Job& job) {
  const std::string id = std::to_string(job.id.value());
  switch (job.paused) {
    case PauseCause::none:
      break;
    case PauseCause::requested:
    case PauseCause::no_progress:
      return "let it go on: `pawl job resume " + id + "`";
    case PauseCause::budget:
    case PauseCause::deadline:
      return "raise its budget or its deadline: `pawl job budget " + id + "`";
  }
  return {};
}

/// Whether there is anything to revive.
Status check_ending(const Job& job) {
  if (!job.cancelled && !job.has_ended()) {
    const std::string paused = job.paused == PauseCause::none ? "" : " is paused, and";
    return fail(ErrorCode::refused, named(job) + paused + " has not ended", help_for_pause(job));
  }
  if (!job.cancelled) {
    return fail(ErrorCode::refused, named(job) + " was not ended by a limit: everything has run",
                "retry its dead letters, or submit a new job");
  }
  if (job.cancelled == CancelCause::stop_job) {
    return fail(ErrorCode::refused, named(job) + " was stopped by a stage that failed",
                "submit a new job");
  }
  if (!is_ended_by_limit(job)) {
    return fail(ErrorCode::refused, named(job) + " was cancelled by a person, which is final",
                "submit a new job");
  }
  if (job.attempts_open == 0) return {};
  return fail(ErrorCode::refused,
              named(job) + " still has running attempts (" + std::to_string(job.attempts_open) +
                  "), which are being stopped",
              "try again when they have ended");
}

Status check_tolerance(const Job& job, const Tolerance& tolerance) {
  const bool is_exceeded =
      tolerance.is_set() &&
      tolerance.is_exceeded(job.items.failed, job.items.total, !job.submission_open);
  if (!is_exceeded) return {};
  const std::string failed = std::to_string(job.items.failed);
  return fail(ErrorCode::refused,
              named(job) + " tolerates fewer failed items than the " + failed + " that it has",
              "raise the tolerance: `pawl job revive " + std::to_string(job.id.value()) +
                  " --tolerate " + failed + "` or more");
}

}  // namespace

Result<Job> Operations::carry_out(const ReviveJob& act) {
  TouchedJob* touched = books_.touch(act.job);
  if (touched == nullptr) return no_such(act.job);
  Job& job = *touched->job;
  const Tolerance tolerance = act.tolerate_failures.value_or(job.tolerate_failures);
  Status may = check_ending(job);
  if (may) may = check_tolerance(job, tolerance);
  if (may) may = reruns().check_budget(job);
  if (!may) return std::unexpected(may.error());

  const CancelCause cause = *job.cancelled;
  job.cancelled.reset();
  job.ended_at = no_time;  // it finishes again, even if nothing is left to do
  job.tolerate_failures = tolerance;
  job.paused = PauseCause::none;
  job.last_progress_at = now_;
  job.decisions_since_progress = 0;
  books_.mark_changed(job);
  touched->events.push_back(Event{.type = EventType::job_resumed});
  reruns().rerun_cancelled(*touched, cause);
  return job;
}

void Reruns::rerun_cancelled(TouchedJob& touched, CancelCause cause) {
  const std::int64_t ordinal = touched.job->reduce_ordinal;
  for (const Task& task : ordinal == 0 ? std::vector<Task>() : rows_.tasks_of_ordinal(ordinal)) {
    rerun_cancelled_task(touched, task, cause);
    if (task.kind() != StateKind::expanded) continue;
    for (const Task& child : rows_.children_of(task.id, task.expansion)) {
      rerun_cancelled_task(touched, *rows_.task(child.id), cause);
    }
  }
  for (const TaskId id : rows_.cancelled_tasks(touched.job->id)) {
    // Read again: a child runs again together with its siblings.
    rerun_cancelled_task(touched, *rows_.task(id), cause);
  }
}

void Reruns::rerun_cancelled_task(TouchedJob& touched, const Task& task, CancelCause cause) {
  const auto* cancelled = std::get_if<Cancelled>(&task.state);
  if (cancelled == nullptr || cancelled->cause != cause) return;
  const RerunReason reason{.cause = Cause::manual, .feedback = {}};
  if (task.child) {
    const Task parent = *rows_.task(task.child->parent);
    const bool is_open =
        parent.kind() == StateKind::expanded && parent.expansion == task.child->expansion;
    if (is_open) rerun_children(touched, parent, task.id, reason);
    return;
  }
  if (!task.item) return rerun_job_wide(touched, task, reason);
  ItemProgress progress = *rows_.progress(task.item);
  // An item that a person has cancelled stays so.
  if (progress.cancelled && progress.cancelled != cause) return;
  progress.cancelled.reset();
  rows_.put_progress(task.item, progress);
  rerun_item(touched, task, reason);
}

}  // namespace pawl::store
