#include <algorithm>
#include <utility>
#include <vector>

#include "core/ending.hpp"
#include "pawl/core/needs.hpp"
#include "pawl/core/step.hpp"

namespace pawl {
namespace {

/// The stages that run again: the named one and all stages reachable from it, of both scopes.
std::vector<bool> rerun_set(const Workflow& workflow, StageIndex named) {
  std::vector<bool> in_set(workflow.stage_count(), false);
  in_set[at(named)] = true;
  for (const StageIndex stage : workflow.topological_order()) {
    if (std::ranges::any_of(workflow.plan(stage).needs,
                            [&](StageIndex need) { return in_set[at(need)]; })) {
      in_set[at(stage)] = true;
    }
  }
  return in_set;
}

/// The stored tasks of the item by stage; null if there is no row.
std::vector<const Task*> by_stage(const Workflow& workflow, const std::vector<Task>& tasks) {
  std::vector<const Task*> stored(workflow.stage_count(), nullptr);
  for (const Task& task : tasks) {
    if (!task.child && at(task.stage()) < stored.size()) stored[at(task.stage())] = &task;
  }
  return stored;
}

/// The needs that stay satisfied: those outside the rerun that are satisfied now. A job-wide stage
/// was released when its item stages had ended, in whatever way, so those outside the rerun count
/// as satisfied.
std::uint64_t remaining_mask(const Workflow& workflow, StageIndex stage,
                             const std::vector<bool>& in_set,
                             const std::vector<const Task*>& stored) {
  const bool job_wide = workflow.stage(stage).scope == Scope::all;
  const std::vector<StageIndex>& needs = workflow.plan(stage).needs;
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    const StageIndex need = needs[i];
    if (in_set[at(need)]) continue;
    const StageDefinition& definition = workflow.stage(need);
    const Task* task = stored[at(need)];
    const bool ended_for_all = job_wide && definition.scope == Scope::item;
    if (ended_for_all || (task != nullptr && satisfies(definition, task->state))) {
      mask |= std::uint64_t{1} << i;
    }
  }
  return mask;
}

/// Whether another failure, outside the rerun, still keeps the stage from running.
bool stays_given_up(const Workflow& workflow, StageIndex stage, const std::vector<bool>& in_set,
                    const std::vector<const Task*>& stored, const std::vector<bool>& given_up) {
  if (workflow.stage(stage).scope == Scope::all) return false;
  return std::ranges::any_of(workflow.plan(stage).needs, [&](StageIndex need) {
    if (in_set[at(need)]) return static_cast<bool>(given_up[at(need)]);
    const Task* task = stored[at(need)];
    return task != nullptr && breaks(workflow.stage(need), task->state);
  });
}

/// The attempt of a Running task, closed because the task continues without it. The cancel in the
/// record makes `decide` reach the same decision again: superseded.
Attempt superseded_attempt(const StageDefinition& stage, const Task& task, const Running& running,
                           Timestamp now) {
  Attempt closed;
  closed.task = task.id;
  closed.number = task.attempts;
  closed.epoch = task.epoch;
  closed.round = task.round;
  closed.cause = task.cause;
  closed.worker = running.worker;
  closed.opened_at = running.opened_at;
  closed.started_at = running.opened_at;
  closed.ended_at = now;
  closed.result = AttemptResult::interrupted;
  closed.counts_before = task.counts;
  closed.cancelled_by = CancelCause::superseded;
  closed.graceful = true;
  closed.decision = decide(stage, closed);
  return closed;
}

Step restart(const StageDefinition& stage, const Task& task, const TaskState& state, Cause cause,
             Timestamp now) {
  Step step = step_from(task);
  if (const auto* running = std::get_if<Running>(&task.state)) {
    step.closed = superseded_attempt(stage, task, *running, now);
    step.events.push_back(finished_event(task, *step.closed));
  }
  Task& next = step.next;
  next.state = state;
  ++next.epoch;
  next.round = 1;
  next.counts = {};
  next.cause = cause;
  next.feedback.reset();
  return step;
}

}  // namespace

std::vector<Step> rerun(const Workflow& workflow, StageIndex stage, const std::vector<Task>& tasks,
                        Cause cause, const std::optional<Feedback>& feedback, Timestamp now) {
  const std::vector<bool> in_set = rerun_set(workflow, stage);
  const std::vector<const Task*> stored = by_stage(workflow, tasks);
  std::vector<bool> given_up(workflow.stage_count(), false);
  std::vector<Step> steps;
  for (const StageIndex index : workflow.topological_order()) {
    const Task* task = stored[at(index)];
    if (!in_set[at(index)] || task == nullptr) continue;
    const StageDefinition& definition = workflow.stage(index);
    const std::uint64_t mask = remaining_mask(workflow, index, in_set, stored);
    if (index != stage && stays_given_up(workflow, index, in_set, stored, given_up)) {
      given_up[at(index)] = true;
      steps.push_back(restart(definition, *task, Skipped{SkipReason::upstream_failed}, cause, now));
      continue;
    }
    if (index != stage) {
      steps.push_back(restart(definition, *task, Waiting{.satisfied = mask}, cause, now));
      continue;
    }
    const bool is_ready = mask == workflow.plan(index).full_mask;
    Step step =
        restart(definition, *task,
                is_ready ? TaskState{Ready{}} : TaskState{Waiting{.satisfied = mask}}, cause, now);
    step.next.feedback = feedback;
    if (is_ready) {
      step.events.push_back(rerun_event(definition, step.next, now));
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace pawl
