#pragma once

/// States as they are shown. Some follow from other records and are not stored: a task without a
/// row waits, or has ended with its job, and the cancel of a job rewrites no item and no task.

#include <optional>
#include <vector>

#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/task.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

/// Once a job is cancelled, its unfinished items are shown as cancelled, although their rows do not
/// change. `job_cancelled` is the cancel of the job, if there is one.
[[nodiscard]] ItemState shown_state(const Item& item, std::optional<CancelCause> job_cancelled);
[[nodiscard]] ItemCounts shown_items(const Job& job);

/// One stage of an item.
struct ShownTask {
  StageIndex stage{};
  TaskState state;             ///< stored, or derived from the other tasks and the cancels
  std::optional<Task> stored;  ///< none: the task has no row
  friend bool operator==(const ShownTask&, const ShownTask&) = default;

  [[nodiscard]] StateKind kind() const { return kind_of(state); }
};

/// The tasks of an item: one for each of its stages, in the order of the definition. `tasks` are
/// the stored ones; fan-out children among them are ignored.
///
/// A running task and an ended task show what is stored. Anything else is cancelled with its item
/// or its job. A task that still waits is skipped if one of its needs can no longer be satisfied.
/// An adopted item without tasks succeeded in every stage: its tasks belong to its original.
[[nodiscard]] std::vector<ShownTask> shown_tasks(const Workflow& workflow, const Item& item,
                                                 std::vector<Task> tasks,
                                                 std::optional<CancelCause> job_cancelled);

}  // namespace pawl
