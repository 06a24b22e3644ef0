#include "sqlite/row_writes.hpp"

#include "sql/answer_codec.hpp"
#include "sql/attempt_codec.hpp"
#include "sql/audit_codec.hpp"
#include "sql/item_codec.hpp"
#include "sql/review_codec.hpp"
#include "sql/sql_text.hpp"
#include "sql/task_codec.hpp"

namespace pawl::sqlite {

namespace {

using sql::assigned;
using sql::joined;
using sql::places;

constexpr auto insert_task = joined("INSERT INTO tasks (", sql::task_row_columns, ") VALUES (",
                                    places(sql::task_row_columns), ") ON CONFLICT (id) DO NOTHING");
constexpr auto update_task = joined("UPDATE tasks SET ", assigned(sql::task_changing_columns, 3),
                                    " WHERE id = ?1 AND version = ?2");

constexpr auto insert_attempt = joined("INSERT INTO attempts (", sql::attempt_columns, ") VALUES (",
                                       places(sql::attempt_columns), ")");

constexpr auto insert_item = joined("INSERT INTO items (", sql::item_row_columns, ") VALUES (",
                                    places(sql::item_row_columns), ")");

constexpr auto insert_job = joined("INSERT INTO jobs (", sql::job_new_columns, ") VALUES (",
                                   places(sql::job_new_columns), ")");
constexpr auto update_job =
    joined("UPDATE jobs SET ", assigned(sql::job_changing_columns, 2), " WHERE id = ?1");
constexpr char update_counters[] =
    "UPDATE jobs SET first_ordinal = ?2, last_ordinal = ?3, counters = ?4 WHERE id = ?1";

/// An id is never used again after its row is deleted: a user may still have it on the screen.
constexpr auto insert_review =
    joined("INSERT INTO reviews (", sql::review_new_columns, ", id) VALUES (",
           places(sql::review_new_columns),
           ", 1 + max(coalesce((SELECT max(id) FROM reviews), 0), "
           "coalesce((SELECT value FROM counters WHERE name = 'review'), 0)))");
constexpr auto update_review =
    joined("UPDATE reviews SET ", assigned(sql::review_changing_columns, 2), " WHERE id = ?1");
constexpr char insert_queued[] =
    "INSERT INTO review_queue (assignee, due, review) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
constexpr char delete_queued[] = "DELETE FROM review_queue WHERE review = ?1";

constexpr auto insert_answer = joined("INSERT INTO review_answers (", sql::answer_columns,
                                      ") VALUES (", places(sql::answer_columns), ")");
constexpr auto update_answer =
    joined("UPDATE review_answers SET ", assigned(sql::answer_changing_columns, 3),
           " WHERE review = ?1 AND number = ?2");
constexpr auto insert_audit = joined("INSERT INTO audit (", sql::audit_columns, ") VALUES (",
                                     places(sql::audit_columns), ")");

/// Puts a review into the lists of its assignees.
void queue_review(Connection& connection, const Review& review, ReviewId id) {
  if (!sql::is_pending(review)) return;
  for (const std::string& assignee : review.assigned) {
    connection.prepared(insert_queued).run(assignee, sql::due_column(review.due_at), id);
  }
}

}  // namespace

bool insert_task_row(Connection& connection, const Task& task) {
  Statement& insert = connection.prepared(insert_task);
  return sql::task_values(task, [&](const auto&... v) { return insert.run(v...); }) > 0;
}

bool update_task_row(Connection& connection, const Task& next, Version expected) {
  Statement& update = connection.prepared(update_task);
  return sql::task_changes(
             next, [&](const auto&... v) { return update.run(next.id, expected, v...); }) > 0;
}

void insert_attempt_row(Connection& connection, const Attempt& attempt) {
  Statement& insert = connection.prepared(insert_attempt);
  sql::attempt_values(attempt, [&](const auto&... v) { return insert.run(v...); });
}

void insert_item_row(Connection& connection, const Item& item, std::uint32_t pass) {
  Statement& insert = connection.prepared(insert_item);
  sql::item_values(item, pass, [&](const auto&... v) { return insert.run(v...); });
}

JobId insert_job_row(Connection& connection, const sql::JobRow& row) {
  Statement& insert = connection.prepared(insert_job);
  sql::job_values(row, [&](const auto&... v) { return insert.run(v...); });
  return JobId{connection.last_row()};
}

void update_job_row(Connection& connection, const sql::JobRow& row) {
  Statement& update = connection.prepared(update_job);
  sql::job_changes(row, [&](const auto&... v) { return update.run(row.job.id, v...); });
}

void update_job_counters(Connection& connection, const sql::JobRow& row,
                         const std::string& counters) {
  connection.prepared(update_counters)
      .run(row.job.id, row.first_ordinal, row.last_ordinal, counters);
}

ReviewId insert_review_row(Connection& connection, const Review& review) {
  Statement& insert = connection.prepared(insert_review);
  sql::review_values(review, [&](const auto&... v) { return insert.run(v...); });
  const ReviewId id{connection.last_row()};
  queue_review(connection, review, id);
  return id;
}

void update_review_row(Connection& connection, const Review& review) {
  Statement& update = connection.prepared(update_review);
  sql::review_changes(review, [&](const auto&... v) { return update.run(review.id, v...); });
  connection.prepared(delete_queued).run(review.id);
  queue_review(connection, review, review.id);
}

void insert_answer_row(Connection& connection, const GivenAnswer& given) {
  Statement& insert = connection.prepared(insert_answer);
  sql::answer_values(given, [&](const auto&... v) { return insert.run(v...); });
}

void update_answer_row(Connection& connection, const GivenAnswer& given) {
  connection.prepared(update_answer).run(given.review, given.number, given.fate, given.ended_at);
}

void insert_audit_row(Connection& connection, const AuditEntry& entry) {
  Statement& insert = connection.prepared(insert_audit);
  sql::audit_values(entry, [&](const auto&... v) { return insert.run(v...); });
}

}  // namespace pawl::sqlite
