/// Reviews, the audit trail, the log, pools and workers.

#include <algorithm>

#include "codec/journal.hpp"
#include "sql/answer_codec.hpp"
#include "sql/audit_codec.hpp"
#include "sql/due.hpp"
#include "sql/journal_zones.hpp"
#include "sql/review_codec.hpp"
#include "sql/sql_text.hpp"
#include "sql/worker_codec.hpp"
#include "sqlite/row_writes.hpp"
#include "sqlite/sqlite_rows.hpp"
#include "sqlite/workers_gone.hpp"

namespace pawl::sqlite {

namespace {

using sql::joined;
using sql::review_columns;

constexpr auto select_pending = joined(
    "SELECT ", review_columns, " FROM reviews WHERE task = ?1 AND status < 3 ORDER BY id DESC");
constexpr auto select_due_answers =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_due WHERE status = 2 AND effective_at <= ?1 "
           "ORDER BY effective_at, id LIMIT ?2");
constexpr auto select_due_notices =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_to_notice WHERE status = 1 AND notice_at > 0 "
           "AND notice_at <= ?1 ORDER BY notice_at, id LIMIT ?2");

constexpr char insert_journal[] = "INSERT INTO journal (job, at, events) VALUES (?1, ?2, ?3)";

constexpr char select_pool[] = "SELECT open FROM pools WHERE name = ?1";

constexpr char insert_worker_row[] =
    "INSERT INTO workers (host, pid, name, started_at, lease, lease_until, last_batch, retired, "
    "gone, limits) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, ?9)";
constexpr char update_worker_limits[] = "UPDATE workers SET limits = ?2 WHERE id = ?1";
constexpr char update_worker_retired[] = "UPDATE workers SET retired = 1 WHERE id = ?1";
constexpr char update_last_batch[] = "UPDATE workers SET last_batch = ?2 WHERE id = ?1";
constexpr char update_worker_gone[] = "UPDATE workers SET gone = 1 WHERE id = ?1";

std::vector<Review> reviews_from(Cursor row) {
  std::vector<Review> reviews;
  while (row.next()) reviews.push_back(sql::review_of(row));
  return reviews;
}

}  // namespace

ReviewId SqliteRows::insert_review(const Review& review) {
  return insert_review_row(connection_, review);
}

void SqliteRows::put_review(const Review& review) { update_review_row(connection_, review); }

std::optional<Review> SqliteRows::review(ReviewId id) {
  return sql::review_with_id(connection_, id);
}

std::optional<Review> SqliteRows::pending_review(TaskId task) {
  Cursor row = connection_.prepared(select_pending).query(task);
  if (!row.next()) return std::nullopt;
  return sql::review_of(row);
}

std::vector<Review> SqliteRows::due_answers(Timestamp now, std::uint32_t max) {
  return reviews_from(connection_.prepared(select_due_answers).query(now, max));
}

std::vector<Review> SqliteRows::due_notices(Timestamp now, std::uint32_t max) {
  return reviews_from(connection_.prepared(select_due_notices).query(now, max));
}

std::vector<GivenAnswer> SqliteRows::answers(ReviewId review) {
  return sql::answers_of(connection_, review);
}

void SqliteRows::insert_answer(const GivenAnswer& answer) {
  insert_answer_row(connection_, answer);
}

void SqliteRows::put_answer(const GivenAnswer& answer) { update_answer_row(connection_, answer); }

AuditEntry SqliteRows::newest_audit() { return sql::newest_audit(connection_); }

void SqliteRows::append_audit(const AuditEntry& entry) { insert_audit_row(connection_, entry); }

/// Rows are never deleted and only one transaction writes at a time, so SQLite's row numbers are
/// dense and in the order of the commits.
void SqliteRows::append_journal(JobId job, Timestamp at, std::span<const Event> events) {
  text_.clear();
  codec::append_events(text_, events);
  connection_.prepared(insert_journal).run(job, at, text_);
  Zone& zone = zones_[connection_.last_row() / sql::journal_zone_rows];
  zone.job_lo = std::min(zone.job_lo, job.value());
  zone.job_hi = std::max(zone.job_hi, job.value());
  for (const Event& event : events) {
    if (!event.item) continue;
    zone.item_lo = std::min(zone.item_lo, event.item.value());
    zone.item_hi = std::max(zone.item_hi, event.item.value());
  }
}

void SqliteRows::append_arrived_journal(JobId job, Timestamp at, std::span<const Event> events) {
  append_journal(job, at, events);
  arrived_row_ = connection_.last_row();
}

CachedPool& SqliteRows::find_pool(const std::string& name) {
  if (const auto known = cache_.pools.find(name); known != cache_.pools.end()) return known->second;
  CachedPool pool;
  {
    Cursor row = connection_.prepared(select_pool).query(name);
    if (row.next()) pool.open = row.integer(0);
  }
  return cache_.pools.emplace(name, pool).first->second;
}

std::int64_t SqliteRows::pool_open(const std::string& pool) { return find_pool(pool).open; }

void SqliteRows::add_to_pool(const std::string& name, std::int64_t change) {
  CachedPool& pool = find_pool(name);
  pool.open += change;
  if (!std::exchange(pool.is_unwritten, true)) unwritten_pools_.push_back(name);
}

WorkerId SqliteRows::insert_worker(const WorkerRecord& worker) {
  connection_.prepared(insert_worker_row)
      .run(worker.host, worker.pid, worker.name, worker.started_at,
           worker.lease_until - worker.started_at, worker.lease_until, worker.last_batch,
           worker.retired, sql::limits_text(worker.limits));
  return worker_changes_.enlisted.emplace_back(connection_.last_row());
}

std::optional<WorkerRecord> SqliteRows::worker(WorkerId id) {
  return sql::worker_with_id(connection_, id);
}

bool SqliteRows::put_limits(WorkerId id, const WorkerLimits& limits) {
  return connection_.prepared(update_worker_limits).run(id, sql::limits_text(limits)) > 0;
}

bool SqliteRows::retire_worker(WorkerId worker) {
  if (connection_.prepared(update_worker_retired).run(worker) == 0) return false;
  worker_changes_.retired.push_back(worker);
  return true;
}

void SqliteRows::put_last_batch(WorkerId worker, BatchNumber batch) {
  connection_.prepared(update_last_batch).run(worker, batch);
}

std::vector<WorkerId> SqliteRows::gone_workers(Timestamp now, WorkerId self) {
  return workers_gone(connection_, locks_, now, self);
}

void SqliteRows::forget_worker(WorkerId worker) {
  connection_.prepared(update_worker_gone).run(worker);
  worker_changes_.forgotten.push_back(worker);
}

Timestamp SqliteRows::next_due(Timestamp now) { return sql::earliest_due(connection_, now); }

}  // namespace pawl::sqlite
