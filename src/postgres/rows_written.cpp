/// Sends the buffered writes to the database: one statement with arrays for each table.

#include <algorithm>

#include "postgres/array_statements.hpp"
#include "postgres/postgres_rows.hpp"
#include "sql/answer_codec.hpp"
#include "sql/attempt_codec.hpp"
#include "sql/audit_codec.hpp"
#include "sql/item_codec.hpp"
#include "sql/journal_zones.hpp"
#include "sql/review_codec.hpp"
#include "sql/sql_text.hpp"
#include "sql/task_codec.hpp"

namespace pawl::postgres {

namespace {

using sql::joined;

// Created once; their addresses are the keys of the prepared statements.
const std::string insert_items = insert_rows("items", sql::item_row_columns.text);
const std::string update_seen = update_rows("items", "job, key", "pass");
constexpr char progress_columns[] = "state, cancelled, sinks_left, failed_tasks";
const std::string update_progress = update_rows("items", "id", progress_columns);
const std::string insert_tasks = insert_rows("tasks", sql::task_row_columns.text);
const std::string update_tasks = compare_and_set_rows("tasks", sql::task_changing_columns);
const std::string insert_attempts = insert_rows("attempts", sql::attempt_columns);
constexpr char delete_attempts[] =
    "DELETE FROM attempts a USING unnest($1::bigint[], $2::bigint[]) AS u (task, number) "
    "WHERE a.task = u.task AND a.number = u.number";
constexpr auto review_columns_with_id = joined("id, ", sql::review_new_columns);
const std::string insert_reviews = insert_rows("reviews", review_columns_with_id.text);
const std::string update_reviews = update_rows("reviews", "id", sql::review_changing_columns);
constexpr char queued_columns[] = "assignee, due, review";
/// A review may name an assignee twice.
const std::string insert_queued =
    insert_rows("review_queue", queued_columns) + " ON CONFLICT DO NOTHING";
constexpr char delete_queued[] = "DELETE FROM review_queue WHERE review = ANY($1)";
const std::string insert_answers = insert_rows("review_answers", sql::answer_columns);
const std::string insert_audit = insert_rows("audit", sql::audit_columns);
const std::string update_pools = update_rows("pools", "name", "open");
const std::string update_counters = update_rows("counters", "name", "value");
constexpr char mark_columns[] = "pool, number, at, keep_until";
const std::string insert_marks = insert_rows("rate_marks", mark_columns);
constexpr char delete_marks[] =
    "DELETE FROM rate_marks r USING unnest($1::text[], $2::bigint[], $3::bigint[]) "
    "AS u (pool, number, at) "
    "WHERE r.pool = u.pool AND r.number <= u.number AND r.keep_until <= u.at";

constexpr auto insert_job_row = joined(
    "INSERT INTO jobs (id, ", sql::job_new_columns,
    ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
    "$19, $20, $21, $22, $23, $24, $25, $26)");
constexpr auto update_job_row =
    joined("UPDATE jobs SET (", sql::job_changing_columns,
           ") = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, "
           "$19, $20, $21, $22, $23) WHERE id = $1");
constexpr char update_job_counters[] =
    "UPDATE jobs SET first_ordinal = $2, last_ordinal = $3, counters = $4 WHERE id = $1";

/// Numbers the rows and updates the job and item ranges of their zones. The row of the counter is
/// locked from here to the commit, which is sent along.
constexpr char insert_journal[] =
    "WITH taken AS (UPDATE counters SET value = value + $1::bigint WHERE name = 'journal' "
    "RETURNING value - $1::bigint AS first), "
    "numbered AS (SELECT taken.first + u.n - 1 AS row, u.* FROM taken, "
    "unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[]) WITH ORDINALITY "
    "AS u (job, at, events, item_lo, item_hi, n)), "
    "written AS (INSERT INTO journal (row, job, at, events) "
    "SELECT row, job, at, events FROM numbered) "
    "INSERT INTO journal_zones AS z (zone, job_lo, job_hi, item_lo, item_hi) "
    "SELECT row / 1024, min(job), max(job), min(item_lo), max(item_hi) FROM numbered "
    "GROUP BY row / 1024 ORDER BY row / 1024 "
    "ON CONFLICT (zone) DO UPDATE SET job_lo = least(z.job_lo, excluded.job_lo), "
    "job_hi = greatest(z.job_hi, excluded.job_hi), "
    "item_lo = least(z.item_lo, excluded.item_lo), "
    "item_hi = greatest(z.item_hi, excluded.item_hi)";
static_assert(sql::journal_zone_rows == 1'024);

/// Up to this row the log is not ordered by time (see sql/records_events.cpp).
constexpr char upsert_arrived_row[] =
    "INSERT INTO counters (name, value) SELECT 'arrived_row', value - 1 FROM counters "
    "WHERE name = 'journal' ON CONFLICT (name) DO UPDATE SET value = excluded.value";

// Which columns are text.
const std::string item_kinds = kinds_of(sql::item_row_columns.text);
const std::string progress_kinds = "n" + kinds_of(progress_columns);
const std::string task_kinds = kinds_of(sql::task_row_columns.text);
const std::string task_change_kinds = "nn" + kinds_of(sql::task_changing_columns);
const std::string attempt_kinds = kinds_of(sql::attempt_columns);
const std::string review_kinds = kinds_of(review_columns_with_id.text);
const std::string review_change_kinds = "n" + kinds_of(sql::review_changing_columns);
const std::string queued_kinds = kinds_of(queued_columns);
const std::string answer_kinds = kinds_of(sql::answer_columns);
const std::string audit_kinds = kinds_of(sql::audit_columns);
const std::string mark_kinds = kinds_of(mark_columns);

void post_rows(Connection& connection, const std::string& sql, ArrayRows& rows) {
  if (rows.empty()) return;
  connection.post(sql.c_str(), Parameters().add_all(rows));
  rows.clear();
}

}  // namespace

PostgresRows::PostgresRows(Connection& connection, ImmutableCache& cache, bool is_repeated)
    : connection_(connection),
      cache_(cache),
      people_(connection),
      is_repeated_(is_repeated),
      new_items_(item_kinds),
      seen_again_("ntn"),
      new_attempts_(attempt_kinds),
      new_reviews_(review_kinds),
      new_queued_(queued_kinds),
      new_answers_(answer_kinds),
      new_audit_(audit_kinds),
      journal_("nntnn"),
      new_marks_(mark_kinds) {
  cache_.keep_small();
}

void PostgresRows::send() {
  send_items();
  send_tasks();
  send_reviews();
}

void PostgresRows::send_items() {
  post_rows(connection_, insert_items, new_items_);
  post_rows(connection_, update_seen, seen_again_);
  ArrayRows changed(progress_kinds);
  for (auto& [item, known] : progress_) {
    if (!std::exchange(known.second, false)) continue;
    const store::ItemProgress& progress = *known.first;
    changed.append(item, progress.state, progress.cancelled, progress.sinks_left,
                   progress.failed_tasks);
  }
  post_rows(connection_, update_progress, changed);
}

/// In the order of their ids, because neighbours are in the same pages.
void PostgresRows::send_tasks() {
  if (!changed_tasks_.empty()) {
    std::ranges::sort(changed_tasks_);
    ArrayRows fresh(task_kinds);
    ArrayRows changed(task_change_kinds);
    for (const TaskId id : changed_tasks_) {
      TaskEntry& entry = tasks_.at(id);
      entry.is_changed = false;
      if (entry.stored) {
        sql::task_changes(*entry.row, [&](const auto&... values) {
          changed.append(id, *entry.stored, values...);
        });
      } else {
        sql::task_values(*entry.row, [&](const auto&... values) { fresh.append(values...); });
      }
      entry.stored = entry.version;
    }
    changed_tasks_.clear();
    if (!changed.empty()) {
      const std::uint32_t count = changed.size();
      connection_.post(update_tasks.c_str(),
                       Parameters().add_all(changed).add(sql::value_of(count)));
    }
    post_rows(connection_, insert_tasks, fresh);
  }
  send_attempts();
}

void PostgresRows::send_attempts() { post_rows(connection_, insert_attempts, new_attempts_); }

void PostgresRows::send_reviews() {
  post_rows(connection_, insert_reviews, new_reviews_);
  post_rows(connection_, insert_queued, new_queued_);
  ArrayRows changed(review_change_kinds);
  ArrayRows queued(queued_kinds);
  std::vector<std::int64_t> ids;
  for (const auto& [id, review] : changed_reviews_) {
    sql::review_changes(review, [&](const auto&... values) { changed.append(id, values...); });
    append_queued(queued, review, id);
    ids.push_back(id.value());
  }
  changed_reviews_.clear();
  post_rows(connection_, update_reviews, changed);
  if (!ids.empty()) connection_.post(delete_queued, Parameters().add_numbers(ids));
  post_rows(connection_, insert_queued, queued);
  send_answers();
}

void PostgresRows::append_queued(ArrayRows& rows, const Review& review, ReviewId id) {
  if (!sql::is_pending(review)) return;
  for (const std::string& assignee : review.assigned) {
    rows.append(assignee, sql::due_column(review.due_at), id);
  }
}

void PostgresRows::send_answers() { post_rows(connection_, insert_answers, new_answers_); }

void PostgresRows::send_audit() { post_rows(connection_, insert_audit, new_audit_); }

void PostgresRows::send_limits() {
  ArrayRows changed("tn");
  ArrayRows forgotten("tnn");
  for (auto& [name, pool] : pools_) {
    if (std::exchange(pool.is_changed, false)) changed.append(name, pool.open);
    if (pool.forget_to > 0) forgotten.append(name, pool.forget_to, pool.forget_at);
  }
  post_rows(connection_, update_pools, changed);
  post_rows(connection_, insert_marks, new_marks_);
  if (!forgotten.empty()) connection_.post(delete_marks, Parameters().add_all(forgotten));
}

void PostgresRows::send_jobs() {
  for (auto& [id, entry] : jobs_) {
    if (!entry || !std::exchange(entry->is_changed, false)) continue;
    const sql::JobRow& row = entry->row;
    const auto post = [&](const char* sql) {
      return
          [&, sql](const auto&... values) { connection_.post(sql, Parameters::of(id, values...)); };
    };
    if (std::exchange(entry->is_fresh, false)) {
      sql::job_values(row, post(insert_job_row));
    } else if (sql::settings_of(row) == entry->written) {
      post(update_job_counters)(row.first_ordinal, row.last_ordinal, sql::counters_text(row.job));
    } else {
      sql::job_changes(row, post(update_job_row));
    }
  }
}

void PostgresRows::send_counters() {
  ArrayRows changed("tn");
  for (auto& [name, counter] : counters_) {
    if (std::exchange(counter.second, false)) changed.append(name, counter.first);
  }
  post_rows(connection_, update_counters, changed);
}

void PostgresRows::send_journal() {
  if (journal_.empty()) return;
  connection_.post(insert_journal, Parameters::of(journal_.size()).add_all(journal_));
  journal_.clear();
  if (has_arrived_) connection_.post(upsert_arrived_row);
}

void PostgresRows::take_back_early_attempts() {
  ArrayRows unwanted("nn");
  for (const auto& [key, attempt] : early_attempts_) unwanted.append(key.first, key.second);
  early_attempts_.clear();
  if (!unwanted.empty()) connection_.post(delete_attempts, Parameters().add_all(unwanted));
}

void PostgresRows::finish() {
  take_back_early_attempts();  // fenced since they were sent
  send_jobs();
  send();
  send_limits();
  send_audit();
  send_counters();
  send_journal();
}

void PostgresRows::remember() { cache_.lanes.merge(fresh_lanes_); }

}  // namespace pawl::postgres
