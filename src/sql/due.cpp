#include "sql/due.hpp"

#include <string>

#include "sql/sql_text.hpp"
#include "sql/worker_codec.hpp"

namespace pawl::sql {

namespace {

constexpr auto select_due = joined("SELECT ", is_anything_due);

constexpr char select_earliest_retry[] =
    "SELECT next_run_at FROM tasks WHERE state = 3 AND next_run_at > ?1 "
    "ORDER BY next_run_at LIMIT 1";
constexpr char select_earliest_answer[] =
    "SELECT effective_at FROM reviews INDEXED BY reviews_due WHERE status = 2 "
    "AND effective_at > ?1 "
    "ORDER BY effective_at LIMIT 1";
constexpr char select_earliest_notice[] =
    "SELECT notice_at FROM reviews INDEXED BY reviews_to_notice WHERE status = 1 "
    "AND notice_at > 0 AND notice_at > ?1 "
    "ORDER BY notice_at LIMIT 1";
constexpr char select_earliest_deadline[] =
    "SELECT deadline_at FROM jobs WHERE deadline_at > 0 AND ended_at = 0 AND paused = 0 "
    "AND cancelled IS NULL AND deadline_at > ?1 ORDER BY deadline_at LIMIT 1";

constexpr char select_past_deadline[] =
    "SELECT id FROM jobs WHERE deadline_at > 0 AND ended_at = 0 AND paused = 0 "
    "AND cancelled IS NULL AND deadline_at <= ?1 ORDER BY id";

constexpr auto select_worker = joined("SELECT ", worker_columns, " FROM workers WHERE id = ?1");

}  // namespace

bool anything_due(Session& session, Timestamp now) {
  Cursor row = session.prepared(select_due).query(now);
  return row.next() && row.flag(0);
}

Timestamp earliest_due(Session& session, Timestamp now) {
  Timestamp earliest = no_time;
  for (const char* sql : {select_earliest_retry, select_earliest_answer, select_earliest_notice,
                          select_earliest_deadline}) {
    Cursor row = session.prepared(sql).query(now);
    if (!row.next()) continue;
    const auto when = row.as<Timestamp>(0);
    if (earliest == no_time || when < earliest) earliest = when;
  }
  return earliest;
}

std::vector<JobId> jobs_past_deadline(Session& session, Timestamp now) {
  std::vector<JobId> jobs;
  for (Cursor row = session.prepared(select_past_deadline).query(now); row.next();) {
    jobs.push_back(row.as<JobId>(0));
  }
  return jobs;
}

WorkerRecord worker_of(const Cursor& row) {
  Columns columns(row);
  WorkerRecord worker;
  columns.into(worker.id);
  columns.into(worker.host);
  columns.into(worker.pid);
  columns.into(worker.name);
  columns.into(worker.started_at);
  columns.into(worker.lease_until);
  columns.into(worker.last_batch);
  columns.into(worker.retired);
  columns.into(worker.holds_since);
  worker.limits = limits_from(columns.view());
  return worker;
}

std::optional<WorkerRecord> worker_with_id(Session& session, WorkerId id) {
  Cursor row = session.prepared(select_worker).query(id);
  if (!row.next()) return std::nullopt;
  return worker_of(row);
}

}  // namespace pawl::sql
