/// Pools, rates and workers: what all jobs and machines share.

#include <algorithm>

#include "postgres/polling.hpp"
#include "postgres/postgres_rows.hpp"
#include "sql/due.hpp"
#include "sql/sql_text.hpp"
#include "sql/worker_codec.hpp"

namespace pawl::postgres {

namespace {

using sql::joined;

/// The row of a pool is created when the pool is first used.
constexpr char insert_pools[] =
    "INSERT INTO pools (name, open) SELECT name, 0 FROM unnest($1::text[]) AS u (name) "
    "ORDER BY name ON CONFLICT DO NOTHING";
constexpr char select_pools[] =
    "SELECT name, open FROM pools WHERE name = ANY($1) ORDER BY name FOR NO KEY UPDATE";

constexpr char select_newest_mark[] =
    "SELECT number FROM rate_marks WHERE pool = $1 ORDER BY number DESC LIMIT 1";
/// The marks of a range, and the one before it.
constexpr char select_marks[] =
    "(SELECT number, at FROM rate_marks WHERE pool = $1 AND number < $2 "
    "ORDER BY number DESC LIMIT 1) UNION ALL "
    "(SELECT number, at FROM rate_marks WHERE pool = $1 AND number >= $2 AND number < $3)";
constexpr std::int64_t marks_at_once = 256;
/// The newest mark up to a number that this transaction does not forget.
constexpr char select_kept_mark[] =
    "SELECT at FROM rate_marks WHERE pool = $1 AND number <= $2 AND keep_until > $3 "
    "ORDER BY number DESC LIMIT 1";

/// Locks the worker that opens attempts, so that it is not swept meanwhile; the lock does not block
/// the renewal of its lease.
constexpr auto select_worker =
    joined("SELECT ", sql::worker_columns, " FROM workers WHERE id = $1 FOR KEY SHARE");
constexpr char insert_worker_row[] =
    "INSERT INTO workers (id, host, pid, name, started_at, lease, lease_until, last_batch, "
    "retired, gone, limits) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10)";
constexpr char update_worker_limits[] = "UPDATE workers SET limits = $2 WHERE id = $1";
constexpr char update_worker_retired[] = "UPDATE workers SET retired = 1 WHERE id = $1";
constexpr char update_last_batch[] = "UPDATE workers SET last_batch = $2 WHERE id = $1";
constexpr char update_worker_gone[] = "UPDATE workers SET gone = 1 WHERE id = $1";
/// Skips workers that their own process is writing, or another process is sweeping.
constexpr char select_gone[] =
    "SELECT id FROM workers WHERE gone = 0 AND id <> $2 AND (retired <> 0 OR lease_until <= $1) "
    "ORDER BY id FOR UPDATE SKIP LOCKED";

}  // namespace

void PostgresRows::want_pools(const std::set<std::string>& names) {
  ArrayColumn wanted(ArrayColumn::Kind::text);
  for (const std::string& name : names) wanted.append(sql::value_of(name));
  if (!names.empty()) connection_.post(insert_pools, Parameters().add(wanted));
  connection_.want(select_pools, Parameters().add(wanted));
}

void PostgresRows::take_pools(Reply reply) {
  for (int i = 0; i < reply.rows(); ++i) {
    pools_.try_emplace(std::string(reply.view(i, 0)), PoolEntry{.open = reply.integer(i, 1)});
  }
}

PostgresRows::PoolEntry& PostgresRows::find_pool(const std::string& name) {
  if (const auto known = pools_.find(name); known != pools_.end()) return known->second;
  want_pools({name});
  take_pools(std::move(connection_.answers().back()));
  return pools_.at(name);
}

std::int64_t PostgresRows::pool_open(const std::string& pool) { return find_pool(pool).open; }

void PostgresRows::add_to_pool(const std::string& name, std::int64_t change) {
  PoolEntry& pool = find_pool(name);
  pool.open += change;
  pool.is_changed = true;
}

/// The lock on the row of the pool also protects its marks.
PostgresRows::PoolEntry& PostgresRows::rated_pool(const std::string& name) {
  PoolEntry& pool = find_pool(name);
  if (!std::exchange(pool.has_marks, true)) {
    const Reply newest = connection_.ask(select_newest_mark, Parameters::of(name));
    pool.newest = pool.newest_stored = newest.rows() == 0 ? 0 : newest.integer(0, 0);
  }
  return pool;
}

Timestamp PostgresRows::opening_before(const std::string& name, std::uint32_t count) {
  PoolEntry& pool = rated_pool(name);
  const std::int64_t number = pool.newest - static_cast<std::int64_t>(count) + 1;
  // Only where two workflows give the pool different rates: the marks up to `forget_to` are still
  // stored, but those that have expired do not count any more.
  if (number > 0 && number <= pool.newest_stored && number <= pool.forget_to) {
    const Reply kept =
        connection_.ask(select_kept_mark, Parameters::of(name, number, pool.forget_at));
    return kept.rows() == 0 ? no_time : Timestamp{Duration{kept.integer(0, 0)}};
  }
  const bool is_asked = number >= pool.asked_from && number < pool.asked_end;
  if (number <= pool.newest_stored && !is_asked) {
    const Reply found =
        connection_.ask(select_marks, Parameters::of(name, number, number + marks_at_once));
    for (int i = 0; i < found.rows(); ++i) {
      pool.marks.insert_or_assign(found.integer(i, 0), Timestamp{Duration{found.integer(i, 1)}});
    }
    pool.asked_from = number;
    pool.asked_end = number + marks_at_once;
  }
  const auto after = pool.marks.upper_bound(number);
  return after == pool.marks.begin() ? no_time : std::prev(after)->second;
}

void PostgresRows::note_opening(const std::string& name, const Rate& rate, Timestamp at) {
  PoolEntry& pool = rated_pool(name);
  const std::int64_t number = ++pool.newest;
  pool.marks.insert_or_assign(number, at);
  new_marks_.append(name, number, at, at + rate.per);
  pool.forget_to = std::max(pool.forget_to, number - static_cast<std::int64_t>(rate.count));
  pool.forget_at = at;
}

WorkerId PostgresRows::insert_worker(const WorkerRecord& worker) {
  const WorkerId id{counter("worker")++};
  connection_.post(
      insert_worker_row,
      Parameters::of(id, worker.host, worker.pid, worker.name, worker.started_at,
                     worker.lease_until - worker.started_at, worker.lease_until, worker.last_batch,
                     worker.retired, sql::limits_text(worker.limits)));
  return id;
}

void PostgresRows::want_worker(WorkerId worker) {
  connection_.want(select_worker, Parameters::of(worker));
}

void PostgresRows::take_worker(WorkerId worker, Reply reply) {
  ReplyRows rows(std::move(reply));
  sql::Cursor row(rows);
  workers_.insert_or_assign(
      worker, row.next() ? std::optional(sql::worker_of(row)) : std::optional<WorkerRecord>());
}

/// Locked, so that the worker is not swept while it opens attempts.
std::optional<WorkerRecord> PostgresRows::worker(WorkerId id) {
  if (const auto known = workers_.find(id); known != workers_.end()) return known->second;
  want_worker(id);
  take_worker(id, std::move(connection_.answers().back()));
  return workers_.at(id);
}

bool PostgresRows::put_limits(WorkerId id, const WorkerLimits& limits) {
  return connection_.ask(update_worker_limits, Parameters::of(id, sql::limits_text(limits)))
             .changed() > 0;
}

bool PostgresRows::retire_worker(WorkerId worker) {
  return connection_.ask(update_worker_retired, Parameters::of(worker)).changed() > 0;
}

void PostgresRows::put_last_batch(WorkerId worker, BatchNumber batch) {
  connection_.post(update_last_batch, Parameters::of(worker, batch));
}

std::vector<WorkerId> PostgresRows::gone_workers(Timestamp now, WorkerId self) {
  std::vector<WorkerId> gone;
  const Reply found = connection_.ask(select_gone, Parameters::of(now, self));
  for (int i = 0; i < found.rows(); ++i) gone.emplace_back(found.integer(i, 0));
  return gone;
}

void PostgresRows::forget_worker(WorkerId worker) {
  connection_.post(update_worker_gone, Parameters::of(worker));
}

Timestamp PostgresRows::next_due(Timestamp now) {
  send();
  return earliest_timer(connection_, now);
}

}  // namespace pawl::postgres
