#pragma once

/// A task as a row of `tasks`. The variant of its state is flattened: each state has its columns,
/// and those of the other states are NULL.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pawl/core/task.hpp"
#include "sql/session.hpp"
#include "sql/sql_text.hpp"

namespace pawl::sql {

/// In the order that `task_of` reads.
inline constexpr char task_columns[] =
    "id, job, item, lane, version, state, epoch, round, expansion, attempts, cause, failures, "
    "rejections, rate_limit_waits, interruptions, epoch_attempts, satisfied, worker, opened_at, "
    "next_run_at, reason, discarded, children, children_open, children_failed, stands, edited_by, "
    "feedback, parent, of_expansion, child_key, child_data";
/// The whole row, in the order of `task_values`.
inline constexpr auto task_row_columns = joined(task_columns, ", age");
/// The columns that can change, in the order of `task_changes`. The others (job, item, lane, age,
/// the part of a child) never change.
inline constexpr char task_changing_columns[] =
    "version, state, epoch, round, expansion, attempts, cause, failures, rejections, "
    "rate_limit_waits, interruptions, epoch_attempts, satisfied, worker, opened_at, next_run_at, "
    "reason, discarded, children, children_open, children_failed, stands, edited_by, feedback";

/// The task of a row that was selected with `task_columns`.
[[nodiscard]] Task task_of(const Cursor& row);

/// The columns of the states.
struct StateColumns {
  std::optional<std::int64_t> satisfied;
  std::optional<WorkerId> worker;
  std::optional<Timestamp> opened_at;
  std::optional<Timestamp> next_run_at;
  std::optional<std::int64_t> reason;
  std::optional<bool> discarded;
  std::optional<std::int64_t> children;
  std::optional<std::int64_t> children_open;
  std::optional<std::int64_t> children_failed;
  std::optional<AttemptNumber> stands;
  std::optional<ReviewId> edited_by;
};
[[nodiscard]] StateColumns state_columns_of(const TaskState& state);

/// The columns of a child.
struct ChildColumns {
  std::optional<TaskId> parent;
  std::optional<std::uint32_t> expansion;
  std::optional<std::string_view> key;
  std::optional<std::string_view> data;
};
/// Views into `task`.
[[nodiscard]] ChildColumns child_columns_of(const Task& task);

[[nodiscard]] std::optional<std::string> feedback_text(const Task& task);

/// The order within a lane: the ordinal of the item, or the task's own if it is job-wide.
[[nodiscard]] inline std::int64_t age_of(const Task& task) {
  return task.item ? task.item.value() : ordinal_of(task.id);
}

/// Calls `use` with all values of the row; they are valid until it returns.
template <class Use>
auto task_values(const Task& task, Use use) {
  const StateColumns state = state_columns_of(task.state);
  const ChildColumns child = child_columns_of(task);
  const std::optional<std::string> feedback = feedback_text(task);
  const Counts& counts = task.counts;
  return use(task.id, task.job, task.item, task.lane, task.version, task.kind(), task.epoch,
             task.round, task.expansion, task.attempts, task.cause, counts.failures,
             counts.rejections, counts.rate_limit_waits, counts.interruptions, counts.attempts,
             state.satisfied, state.worker, state.opened_at, state.next_run_at, state.reason,
             state.discarded, state.children, state.children_open, state.children_failed,
             state.stands, state.edited_by, feedback, child.parent, child.expansion, child.key,
             child.data, age_of(task));
}

/// The same with the values that can change.
template <class Use>
auto task_changes(const Task& task, Use use) {
  const StateColumns state = state_columns_of(task.state);
  const std::optional<std::string> feedback = feedback_text(task);
  const Counts& counts = task.counts;
  return use(task.version, task.kind(), task.epoch, task.round, task.expansion, task.attempts,
             task.cause, counts.failures, counts.rejections, counts.rate_limit_waits,
             counts.interruptions, counts.attempts, state.satisfied, state.worker, state.opened_at,
             state.next_run_at, state.reason, state.discarded, state.children, state.children_open,
             state.children_failed, state.stands, state.edited_by, feedback);
}

}  // namespace pawl::sql
