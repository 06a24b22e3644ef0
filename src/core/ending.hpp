#pragma once

/// Parts that every step is built from: where it starts, and how a task ends.

#include <string>

#include "pawl/core/step.hpp"

namespace pawl {

/// A step from `task` as it stands: nothing changed yet but the version.
[[nodiscard]] Step step_from(const Task& task);

/// An event about `task`, of the attempt given or of its newest one.
[[nodiscard]] Event event_of(const Task& task, EventType type);
[[nodiscard]] Event event_of(const Task& task, EventType type, AttemptNumber attempt);

/// The end of `step.next`, with what it means downstream and the events that tell of it. A child's
/// end means nothing downstream: its parent's does.
void succeed(Step& step, Succeeded how);
void skip(Step& step, SkipReason reason);
void fail(Step& step, const StageDefinition& stage, FailCause cause, std::string message);
void cancel(Step& step, CancelCause cause);

/// The children of an expansion have ended well: whether the parent is opened once more, to be
/// joined, judged or reviewed.
[[nodiscard]] bool is_joined(const StageDefinition& stage);

/// Whether a need of this state and policy is satisfied.
[[nodiscard]] bool satisfies(const StageDefinition& stage, const TaskState& state);

}  // namespace pawl
