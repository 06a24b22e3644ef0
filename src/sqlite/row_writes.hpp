#pragma once

/// Writes the rows of the shared codecs to SQLite.

#include <cstdint>

#include "pawl/core/attempt.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/core/task.hpp"
#include "pawl/store/audit.hpp"
#include "sql/job_codec.hpp"
#include "sqlite/db.hpp"

namespace pawl::sqlite {

/// Returns false if the task has a row already.
[[nodiscard]] bool insert_task_row(Connection& connection, const Task& task);
/// Compare-and-set on the version, without a read. Returns false if the row has another version.
/// Columns that never change (job, item, lane, age, the part of a child) are not written.
[[nodiscard]] bool update_task_row(Connection& connection, const Task& next, Version expected);

void insert_attempt_row(Connection& connection, const Attempt& attempt);

void insert_item_row(Connection& connection, const Item& item, std::uint32_t pass);

/// Inserts the row and returns its id.
[[nodiscard]] JobId insert_job_row(Connection& connection, const sql::JobRow& row);
/// Writes all columns that can change.
void update_job_row(Connection& connection, const sql::JobRow& row);
/// Writes the counters and the range of ordinals; no index has to be updated.
void update_job_counters(Connection& connection, const sql::JobRow& row,
                         const std::string& counters);

/// Inserts the row and returns its id. Also puts the review into the lists of its assignees.
[[nodiscard]] ReviewId insert_review_row(Connection& connection, const Review& review);
/// Writes all columns that can change, and the lists of the assignees.
void update_review_row(Connection& connection, const Review& review);

void insert_answer_row(Connection& connection, const GivenAnswer& given);
/// Writes the columns that can change.
void update_answer_row(Connection& connection, const GivenAnswer& given);

void insert_audit_row(Connection& connection, const AuditEntry& entry);

}  // namespace pawl::sqlite
