#pragma once

/// A task as a row of `tasks`. The variant of its state is flattened: each state has its columns,
/// those of the others are NULL.

#include "pawl/core/task.hpp"
#include "sqlite/db.hpp"
#include "sqlite/sql_text.hpp"

namespace pawl::sqlite {

/// In the order that `task_of` reads.
inline constexpr char task_columns[] =
    "id, job, item, lane, version, state, epoch, round, expansion, attempts, cause, failures, "
    "rejections, rate_limit_waits, interruptions, epoch_attempts, satisfied, worker, opened_at, "
    "next_run_at, reason, discarded, children, children_open, children_failed, stands, edited_by, "
    "feedback, parent, of_expansion, child_key, child_data";

/// The task of a row that was selected with `task_columns`.
[[nodiscard]] Task task_of(const Cursor& row);

/// False when the task has a row already.
[[nodiscard]] bool insert_task_row(Connection& connection, const Task& task);

/// Compare-and-set on the version, without reading: false when the row has moved on. What never
/// changes (job, item, lane, age, a child's part) is not written.
[[nodiscard]] bool update_task_row(Connection& connection, const Task& next, Version expected);

}  // namespace pawl::sqlite
