#include <algorithm>

#include "pawl/core/job.hpp"
#include "pawl/core/needs.hpp"
#include "pawl/core/result.hpp"

namespace pawl {
namespace {

using enum StateKind;

void give_up_when_too_many_failed(Job& job, Timestamp now, std::vector<Event>& events) {
  if (job.cancelled || !job.tolerate_failures.is_set()) return;
  if (!job.tolerate_failures.is_exceeded(job.items.failed, job.items.total, !job.submission_open)) {
    return;
  }
  job.cancelled = CancelCause::tolerance;
  job.generation = next_stamp(job.generation, now);
  Event event;
  event.type = EventType::job_cancelled;
  event.job = job.id;
  event.code = static_cast<std::int32_t>(CancelCause::tolerance);
  event.count = job.items.failed;
  events.push_back(std::move(event));
}

/// Which job-wide stages satisfy the stages that need them. A skipped job-wide stage was skipped by
/// choice exactly if its own job-wide needs are satisfied, because a failed item never breaks a
/// job-wide stage.
std::vector<bool> satisfied_stages(const Job& job, const Workflow& workflow) {
  std::vector<bool> satisfied(workflow.stage_count(), false);
  for (const StageIndex stage : workflow.topological_order()) {
    const StageDefinition& definition = workflow.stage(stage);
    if (definition.scope != Scope::all) continue;
    const StateCounts& counts = job.stages[at(stage)];
    const bool by_choice = std::ranges::all_of(workflow.plan(stage).needs, [&](StageIndex need) {
      return workflow.stage(need).scope == Scope::item || satisfied[at(need)];
    });
    const SkipReason reason = by_choice ? SkipReason::by_choice : SkipReason::upstream_failed;
    satisfied[at(stage)] = (counts[succeeded] > 0 && satisfies(definition, Succeeded{})) ||
                           (counts[skipped] > 0 && satisfies(definition, Skipped{reason})) ||
                           (counts[failed] > 0 && satisfies(definition, Failed{}));
  }
  return satisfied;
}

/// Whether the stage has ended, in whatever way, for every item. It has once all items are settled.
bool has_ended_for_all(const Job& job, StageIndex stage) {
  if (job.items.active() == 0) return true;
  const std::int64_t adopted = job.items.adopted + job.items.adopted_rejected;
  return job.stages[at(stage)].ended() + adopted >= job.items.total;
}

bool is_unreleased(const StateCounts& counts) {
  return std::ranges::all_of(counts.by_kind.begin() + 1, counts.by_kind.end(),
                             [](std::int64_t count) { return count == 0; });
}

std::vector<StageIndex> released_stages(const Job& job, const Workflow& workflow) {
  if (workflow.all_scope_stages().empty() || job.submission_open || job.cancelled) return {};
  const std::vector<bool> satisfied = satisfied_stages(job, workflow);
  std::vector<StageIndex> released;
  for (const StageIndex stage : workflow.all_scope_stages()) {
    if (!is_unreleased(job.stages[at(stage)])) continue;
    if (std::ranges::all_of(workflow.plan(stage).needs, [&](StageIndex need) {
          return workflow.stage(need).scope == Scope::item ? has_ended_for_all(job, need)
                                                           : bool{satisfied[at(need)]};
        })) {
      released.push_back(stage);
    }
  }
  return released;
}

bool is_at_its_end(const Job& job, const Workflow& workflow) {
  if (job.cancelled) return job.attempts_open == 0;
  return !job.submission_open && job.items.active() == 0 &&
         std::ranges::all_of(workflow.all_scope_stages(),
                             [&](StageIndex stage) { return job.stages[at(stage)].ended() > 0; });
}

}  // namespace

std::vector<StageIndex> advance(Job& job, const Workflow& workflow, Timestamp now,
                                std::vector<Event>& events) {
  require(job.stages.size() == workflow.stage_count(),
          "a job has counts for each stage of its workflow");
  give_up_when_too_many_failed(job, now, events);
  announce_near_budgets(job, now, events);
  const bool ends = is_at_its_end(job, workflow);
  if (ends && !job.has_ended()) {
    job.ended_at = now;
    Event finished;
    finished.type = EventType::job_finished;
    finished.job = job.id;
    finished.code = static_cast<std::int32_t>(state_of(job));
    events.push_back(std::move(finished));
  } else if (!ends && job.has_ended()) {
    job.ended_at = no_time;
  }
  return released_stages(job, workflow);
}

}  // namespace pawl
