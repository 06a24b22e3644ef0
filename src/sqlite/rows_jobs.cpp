/// Jobs, definitions and sequences, and what a transaction writes once at its end.

#include <string>

#include "pawl/codec/workflow.hpp"
#include "sql/due.hpp"
#include "sql/sql_text.hpp"
#include "sql/stored.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/row_writes.hpp"
#include "sqlite/sqlite_rows.hpp"

namespace pawl::sqlite {

namespace {

constexpr auto select_job = sql::joined("SELECT ", sql::job_columns, " FROM jobs WHERE id = ?1");
constexpr char select_job_with_key[] =
    "SELECT id FROM jobs WHERE workflow_name = ?1 AND key = ?2 AND key IS NOT NULL";

constexpr char insert_workflow[] =
    "INSERT INTO workflows (hash, name, definition) VALUES (?1, ?2, ?3) "
    "ON CONFLICT (hash) DO NOTHING";
constexpr char select_workflow[] = "SELECT definition FROM workflows WHERE hash = ?1";

constexpr char select_counter[] = "SELECT value FROM counters WHERE name = ?1";
constexpr char update_counter[] = "UPDATE counters SET value = ?2 WHERE name = ?1";

constexpr char upsert_arrived_row[] =
    "INSERT INTO counters (name, value) VALUES ('arrived_row', ?1) "
    "ON CONFLICT (name) DO UPDATE SET value = excluded.value";

constexpr char select_lane_base[] = "SELECT base FROM lane_groups WHERE job = ?1 AND category = ?2";
constexpr char insert_lane_group[] =
    "INSERT INTO lane_groups (base, job, category, stage_count) VALUES (?1, ?2, ?3, ?4)";

constexpr char upsert_pool[] =
    "INSERT INTO pools (name, open) VALUES (?1, ?2) "
    "ON CONFLICT (name) DO UPDATE SET open = excluded.open";

constexpr char upsert_zone[] =
    "INSERT INTO journal_zones (zone, job_lo, job_hi, item_lo, item_hi) "
    "VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (zone) DO UPDATE SET "
    "job_lo = min(job_lo, excluded.job_lo), job_hi = max(job_hi, excluded.job_hi), "
    "item_lo = min(item_lo, excluded.item_lo), item_hi = max(item_hi, excluded.item_hi)";

std::int64_t read_counter(Connection& connection, const char* name) {
  Cursor row = connection.prepared(select_counter).query(name);
  if (!row.next()) {
    throw Fault(ErrorCode::corrupt, "the counter '" + std::string(name) + "' is missing");
  }
  return row.integer(0);
}

}  // namespace

SqliteRows::SqliteRows(Connection& connection, RowCache& cache, const WorkerLocks& locks)
    : connection_(connection), cache_(cache), locks_(locks), people_(connection) {
  std::int64_t version = 0;
  {
    Cursor row = connection.prepared("PRAGMA data_version").query();
    if (row.next()) version = row.integer(0);
  }
  if (version != cache.data_version || cache.is_large()) cache.forget();
  cache.data_version = version;
}

CachedJob* SqliteRows::find_job(JobId id) {
  if (const auto known = cache_.jobs.find(id); known != cache_.jobs.end()) return &known->second;
  Cursor row = connection_.prepared(select_job).query(id);
  if (!row.next()) return nullptr;
  CachedJob found{.row = sql::job_row_of(row)};
  found.written = sql::settings_of(found.row);
  return &cache_.jobs.emplace(id, std::move(found)).first->second;
}

Job* SqliteRows::job(JobId id) {
  CachedJob* found = find_job(id);
  if (found == nullptr) return nullptr;
  sql::check_counters(found->row.job, workflow(found->row.job.workflow_hash));
  return &found->row.job;
}

Job* SqliteRows::job_with_key(std::string_view workflow_name, std::string_view key) {
  JobId id;
  {
    Cursor row = connection_.prepared(select_job_with_key).query(workflow_name, key);
    if (!row.next()) return nullptr;
    id = row.as<JobId>(0);
  }
  return job(id);
}

Job* SqliteRows::insert_job(const Job& fresh) {
  CachedJob made{.row = {.job = fresh}};
  made.row.first_ordinal = made.row.last_ordinal = fresh.reduce_ordinal;
  made.row.job.id = insert_job_row(connection_, made.row);
  made.written = sql::settings_of(made.row);
  const JobId id = made.row.job.id;
  return &cache_.jobs.insert_or_assign(id, std::move(made)).first->second.row.job;
}

void SqliteRows::put_job(const Job& job) {
  CachedJob* row = find_job(job.id);
  require(row != nullptr, "a job that is written has a row");
  if (&row->row.job != &job) row->row.job = job;
  std::string counters = sql::counters_text(row->row.job);
  if (sql::JobSettings now = sql::settings_of(row->row); now != row->written) {
    update_job_row(connection_, row->row);
    row->written = std::move(now);
  } else if (row->is_unwritten || counters != row->written_counters) {
    update_job_counters(connection_, row->row, counters);
  } else {
    return;  // a claim that found nothing writes nothing, because a write would wake other
             // processes
  }
  row->written_counters = std::move(counters);
  row->is_unwritten = false;
}

std::vector<JobId> SqliteRows::overdue_jobs(Timestamp now) {
  return sql::jobs_past_deadline(connection_, now);
}

void SqliteRows::keep_workflow(const Workflow& workflow) {
  connection_.prepared(insert_workflow)
      .run(workflow.hash(), workflow.name(), describe(workflow.definition()));
  cache_.workflows.emplace(workflow.hash(), workflow);
}

const Workflow& SqliteRows::workflow(const std::string& hash) {
  if (const auto known = cache_.workflows.find(hash); known != cache_.workflows.end()) {
    return known->second;
  }
  Cursor row = connection_.prepared(select_workflow).query(hash);
  if (!row.next()) throw Fault(ErrorCode::corrupt, "the workflow " + hash + " is missing");
  return cache_.workflows.emplace(hash, sql::stored_workflow(hash, row.text(0))).first->second;
}

std::int64_t SqliteRows::take_ordinals(std::int64_t count) {
  if (!cache_.next_ordinal) cache_.next_ordinal = read_counter(connection_, "ordinal");
  ordinals_taken_ = true;
  return std::exchange(*cache_.next_ordinal, *cache_.next_ordinal + count);
}

LaneId SqliteRows::lane_base(JobId job, std::string_view category, std::size_t stage_count) {
  const std::pair key(job, std::string(category));
  if (const auto known = cache_.lanes.find(key); known != cache_.lanes.end()) return known->second;
  LaneId base;
  {
    Cursor row = connection_.prepared(select_lane_base).query(job, category);
    if (row.next()) base = row.as<LaneId>(0);
  }
  if (!base) {
    base = LaneId{read_counter(connection_, "lane")};
    const auto next = base.value() + static_cast<std::int64_t>(stage_count);
    connection_.prepared(update_counter).run("lane", next);
    connection_.prepared(insert_lane_group).run(base, job, category, stage_count);
  }
  cache_.lanes.emplace(key, base);
  return base;
}

void SqliteRows::note_ordinal(JobId id, std::int64_t ordinal) {
  CachedJob* job = find_job(id);
  require(job != nullptr, "a row belongs to a job that exists");
  sql::JobRow& row = job->row;
  if (row.first_ordinal != 0 && row.first_ordinal <= ordinal && ordinal <= row.last_ordinal) return;
  if (row.first_ordinal == 0 || ordinal < row.first_ordinal) row.first_ordinal = ordinal;
  if (ordinal > row.last_ordinal) row.last_ordinal = ordinal;
  write_later(*job);
}

void SqliteRows::write_later(CachedJob& job) {
  if (!std::exchange(job.is_unwritten, true)) unwritten_jobs_.push_back(&job);
}

void SqliteRows::flush() {
  for (const CachedJob* job : unwritten_jobs_) {
    if (job->is_unwritten) put_job(job->row.job);
  }
  for (const auto& name : unwritten_pools_) {
    CachedPool& pool = find_pool(name);
    connection_.prepared(upsert_pool).run(name, pool.open);
    pool.is_unwritten = false;
  }
  unwritten_jobs_.clear();
  unwritten_pools_.clear();
  if (std::exchange(ordinals_taken_, false)) {
    connection_.prepared(update_counter).run("ordinal", *cache_.next_ordinal);
  }
  if (const std::int64_t row = std::exchange(arrived_row_, 0); row != 0) {
    connection_.prepared(upsert_arrived_row).run(row);
  }
  for (const auto& [zone, span] : zones_) {
    connection_.prepared(upsert_zone)
        .run(zone, span.job_lo, span.job_hi, span.item_lo, span.item_hi);
  }
  zones_.clear();
}

}  // namespace pawl::sqlite
