#include "postgres/polling.hpp"

#include "sql/due.hpp"
#include "sql/sql_text.hpp"

namespace pawl::postgres {

namespace {

using sql::joined;

constexpr char select_heads[] =
    "WITH RECURSIVE heads (lane, age) AS ("
    "(SELECT lane, age FROM tasks WHERE state = 1 ORDER BY lane, age, id LIMIT 1) "
    "UNION ALL SELECT next.lane, next.age FROM heads, LATERAL (SELECT lane, age FROM tasks "
    "WHERE state = 1 AND lane > heads.lane ORDER BY lane, age, id LIMIT 1) AS next) "
    "SELECT h.lane, h.age, g.base, g.job, g.category, j.priority FROM heads h, "
    "LATERAL (SELECT base, job, category FROM lane_groups WHERE base <= h.lane "
    "ORDER BY base DESC LIMIT 1) AS g JOIN jobs j ON j.id = g.job ORDER BY h.lane";

/// The earliest retry, answer, notice or deadline after `?1`; null: nothing.
constexpr char earliest[] =
    "least((SELECT next_run_at FROM tasks WHERE state = 3 AND next_run_at > ?1 "
    "ORDER BY next_run_at LIMIT 1), "
    "(SELECT effective_at FROM reviews WHERE status = 2 AND effective_at > ?1 "
    "ORDER BY effective_at LIMIT 1), "
    "(SELECT notice_at FROM reviews WHERE status = 1 AND notice_at > 0 AND notice_at > ?1 "
    "ORDER BY notice_at LIMIT 1), "
    "(SELECT deadline_at FROM jobs WHERE deadline_at > 0 AND ended_at = 0 AND paused = 0 "
    "AND cancelled IS NULL AND deadline_at > ?1 ORDER BY deadline_at LIMIT 1))";
constexpr auto select_earliest = joined("SELECT ", earliest);
constexpr auto select_sweep =
    joined("SELECT ", sql::is_anything_due,
           " OR EXISTS (SELECT 1 FROM workers WHERE gone = 0 AND id <> ?2 "
           "AND (retired <> 0 OR lease_until <= ?1)), ",
           earliest);

Timestamp time_or_none(const sql::Cursor& row, int column) {
  return row.is_null(column) ? no_time : row.as<Timestamp>(column);
}

}  // namespace

std::vector<LaneHead> lane_heads(sql::Session& session) {
  std::vector<LaneHead> heads;
  for (sql::Cursor row = session.prepared(select_heads).query(); row.next();) {
    const auto lane = row.as<LaneId>(0);
    heads.push_back({.lane = lane,
                     .job = row.as<JobId>(3),
                     .stage = static_cast<StageIndex>(lane.value() - row.integer(2)),
                     .category = row.text(4),
                     .priority = row.as<std::int32_t>(5),
                     .oldest = row.integer(1)});
  }
  return heads;
}

std::optional<Swept> nothing_to_sweep(sql::Session& session, Timestamp now, WorkerId self) {
  sql::Cursor row = session.prepared(select_sweep).query(now, self);
  if (!row.next() || row.flag(0)) return std::nullopt;
  return Swept{.next_due = time_or_none(row, 1)};
}

Timestamp earliest_timer(sql::Session& session, Timestamp now) {
  sql::Cursor row = session.prepared(select_earliest).query(now);
  return row.next() ? time_or_none(row, 0) : no_time;
}

}  // namespace pawl::postgres
