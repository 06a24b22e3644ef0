#include "pawl/core/shown.hpp"

#include <algorithm>
#include <utility>

#include "pawl/core/needs.hpp"

namespace pawl {
namespace {

/// The state of one task, given those of the stages before it, by stage.
TaskState shown_state_of(const Workflow& workflow, StageIndex stage, const TaskState& stored,
                         const std::vector<TaskState>& before,
                         std::optional<CancelCause> cancelled) {
  if (has_ended(stored) || std::holds_alternative<Running>(stored)) return stored;
  if (cancelled) return Cancelled{.cause = *cancelled};
  // Only a waiting task can be skipped: all others had their needs satisfied.
  if (!std::holds_alternative<Waiting>(stored)) return stored;
  const bool is_broken = std::ranges::any_of(workflow.plan(stage).needs, [&](StageIndex need) {
    return breaks(workflow.stage(need), before[at(need)]);
  });
  return is_broken ? TaskState(Skipped{.reason = SkipReason::upstream_failed}) : stored;
}

}  // namespace

ItemState shown_state(const Item& item, std::optional<CancelCause> job_cancelled) {
  if (item.state != ItemState::active) return item.state;
  const std::optional<CancelCause> cause = item.cancelled ? item.cancelled : job_cancelled;
  return cause ? state_after(*cause) : ItemState::active;
}

ItemCounts shown_items(const Job& job) {
  ItemCounts shown = job.items;
  if (job.cancelled) shown.cancelled += job.items.active();
  return shown;
}

std::vector<ShownTask> shown_tasks(const Workflow& workflow, const Item& item,
                                   std::vector<Task> tasks,
                                   std::optional<CancelCause> job_cancelled) {
  const std::optional<CancelCause> cancelled = item.cancelled ? item.cancelled : job_cancelled;
  const bool is_adopted_whole = item.adopted_from && tasks.empty();
  const TaskState adopted = item.state == ItemState::rejected
                                ? TaskState(Cancelled{.cause = CancelCause::rejected})
                                : TaskState(Succeeded{});
  std::vector<std::optional<Task>> stored(workflow.stage_count());
  for (Task& task : tasks) {
    const StageIndex stage = task.stage();
    if (!task.child && at(stage) < stored.size()) stored[at(stage)] = std::move(task);
  }
  std::vector<TaskState> states(workflow.stage_count());
  for (const StageIndex stage : workflow.topological_order()) {
    const std::optional<Task>& task = stored[at(stage)];
    states[at(stage)] =
        is_adopted_whole
            ? adopted
            : shown_state_of(workflow, stage, task ? task->state : Waiting{}, states, cancelled);
  }
  std::vector<ShownTask> shown;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto stage = static_cast<StageIndex>(i);
    if (workflow.stage(stage).scope == Scope::all) continue;  // a task of the job
    shown.push_back({.stage = stage, .state = states[i], .stored = std::move(stored[i])});
  }
  return shown;
}

}  // namespace pawl
