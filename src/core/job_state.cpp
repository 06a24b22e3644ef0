#include <algorithm>

#include "pawl/core/job.hpp"
#include "pawl/core/result.hpp"

namespace pawl {
namespace {

using enum StateKind;

/// How many tasks of all stages, children included, are in this state.
std::int64_t tasks_in(const Job& job, StateKind kind) {
  std::int64_t sum = 0;
  for (const StateCounts& stage : job.stages) sum += stage[kind];
  for (const StateCounts& stage : job.children) sum += stage[kind];
  return sum;
}

JobState job_state_after(CancelCause cause) {
  switch (cause) {
    case CancelCause::requested:
    case CancelCause::superseded:
    case CancelCause::rejected:
      return JobState::cancelled;
    case CancelCause::deadline:
    case CancelCause::budget:
    case CancelCause::tolerance:
    case CancelCause::stop_job:
      return JobState::failed;
  }
  return JobState::cancelled;
}

}  // namespace

void ItemCounts::count(ItemState state, std::int64_t change) {
  switch (state) {
    case ItemState::active:
      break;
    case ItemState::succeeded:
      succeeded += change;
      break;
    case ItemState::failed:
      failed += change;
      break;
    case ItemState::cancelled:
      cancelled += change;
      break;
    case ItemState::rejected:
      rejected += change;
      break;
  }
}

void ItemCounts::count_adopted(ItemState state, std::int64_t change) {
  (state == ItemState::rejected ? adopted_rejected : adopted) += change;
}

ItemState state_after(CancelCause cause) {
  return cause == CancelCause::rejected ? ItemState::rejected : ItemState::cancelled;
}

ItemState settled_state(std::optional<CancelCause> cancelled, std::uint32_t failed_tasks) {
  if (cancelled) return state_after(*cancelled);
  return failed_tasks > 0 ? ItemState::failed : ItemState::succeeded;
}

std::int64_t StateCounts::ended() const {
  const StateCounts& self = *this;
  return self[succeeded] + self[skipped] + self[failed] + self[cancelled];
}

JobState state_of(const Job& job) {
  if (job.cancelled) return job_state_after(*job.cancelled);
  if (!job.has_ended())
    return job.paused == PauseCause::none ? JobState::running : JobState::paused;
  return job.failed_tasks > 0 ? JobState::failed : JobState::completed;
}

bool is_ended_by_limit(const Job& job) {
  return job.cancelled == CancelCause::tolerance || job.cancelled == CancelCause::deadline ||
         job.cancelled == CancelCause::budget;
}

bool waits_for_people(const Job& job) {
  if (job.has_ended() || job.cancelled || job.submission_open) return false;
  if (!is_trusted(job.trust)) return false;  // its reviews cannot be answered yet
  return tasks_in(job, awaiting_review) > 0 && tasks_in(job, ready) == 0 &&
         tasks_in(job, running) == 0 && tasks_in(job, retry_scheduled) == 0;
}

StateCounts shown_counts(const Job& job, const Workflow& workflow, StageIndex stage) {
  require(at(stage) < job.stages.size(), "a job counts the tasks of each of its stages");
  StateCounts shown = job.stages[at(stage)];
  const bool job_wide = workflow.stage(stage).scope == Scope::all;
  if (!job_wide) {
    shown[succeeded] += job.items.adopted;
    shown[cancelled] += job.items.adopted_rejected;
  }
  std::int64_t moving_or_ended = 0;
  for (const std::int64_t count : shown.by_kind) moving_or_ended += count;
  moving_or_ended -= shown[waiting];
  // A task without a row is waiting, so the waiting tasks are the rest of the total.
  const std::int64_t total = job_wide ? 1 : job.items.total;
  shown[waiting] = std::max<std::int64_t>(0, total - moving_or_ended);
  if (!job.cancelled) return shown;
  // A cancel rewrites no rows. A running task stays Running until its attempt has ended.
  for (const StateKind kind : {waiting, ready, retry_scheduled, awaiting_review, expanded}) {
    shown[cancelled] += shown[kind];
    shown[kind] = 0;
  }
  return shown;
}

}  // namespace pawl
