#pragma once

/// Parts of every step: how it starts, and how a task ends.

#include <string>

#include "pawl/core/step.hpp"

namespace pawl {

/// A step from the current state of `task` that changes nothing yet.
[[nodiscard]] Step step_from(const Task& task);

/// An event about the given attempt of `task`, or about its newest one.
[[nodiscard]] Event event_of(const Task& task, EventType type);
[[nodiscard]] Event event_of(const Task& task, EventType type, AttemptNumber attempt);

/// The end of an attempt, with how long it took; 0 if it never started.
[[nodiscard]] Event finished_event(const Task& task, const Attempt& closed);

/// A rerun of `task`, which is Ready again.
[[nodiscard]] Event rerun_event(const StageDefinition& stage, const Task& task, Timestamp now);

/// Ends `step.next`, sets the effect on dependents and adds the events. The end of a child has no
/// effect on dependents; the end of its parent has.
void succeed(Step& step, Succeeded how);
void skip(Step& step, SkipReason reason);
void fail(Step& step, const StageDefinition& stage, FailCause cause, std::string message);
void cancel(Step& step, CancelCause cause);

/// Whether the parent runs once more after all children of its expansion have succeeded: to be
/// joined, judged or reviewed.
[[nodiscard]] bool is_joined(const StageDefinition& stage);

}  // namespace pawl
