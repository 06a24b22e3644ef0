#pragma once

/// The rule of needs: what the state of a task means for the tasks that need it.

#include "pawl/core/policy.hpp"
#include "pawl/core/task.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

/// Whether a task in this state satisfies the tasks that need it: it succeeded, it was skipped by
/// choice, or it failed in a stage whose dependents go on without it.
[[nodiscard]] bool satisfies(OnFailure on_failure, const TaskState& state);
[[nodiscard]] inline bool satisfies(const StageDefinition& stage, const TaskState& state) {
  return satisfies(stage.on_failure, state);
}

/// Whether a task has ended without satisfying the tasks that need it. They are skipped.
[[nodiscard]] inline bool breaks(const StageDefinition& stage, const TaskState& state) {
  return has_ended(state) && !satisfies(stage, state);
}

/// Whether `stage` needs `other`, directly or indirectly. A stage is not upstream of itself.
[[nodiscard]] bool is_upstream(const Workflow& workflow, StageIndex other, StageIndex stage);

}  // namespace pawl
