/// Jobs, workflows, lanes and the counters that ids are drawn from.

#include <algorithm>

#include "pawl/codec/workflow.hpp"
#include "postgres/faults.hpp"
#include "postgres/postgres_rows.hpp"
#include "postgres/read_locked.hpp"
#include "sql/due.hpp"
#include "sql/sql_text.hpp"
#include "sql/stored.hpp"

namespace pawl::postgres {

namespace {

using sql::joined;

constexpr auto select_jobs = joined("SELECT ", sql::job_columns,
                                    " FROM jobs WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE");
constexpr char select_hashes[] = "SELECT id, workflow_hash FROM jobs WHERE id = ANY($1)";
constexpr char select_job_with_key[] = "SELECT id FROM jobs WHERE workflow_name = $1 AND key = $2";
constexpr char insert_workflow[] =
    "INSERT INTO workflows (hash, name, definition) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
constexpr char select_workflow[] = "SELECT definition FROM workflows WHERE hash = $1";
constexpr char select_counter[] = "SELECT value FROM counters WHERE name = $1 FOR NO KEY UPDATE";
constexpr char select_lane_base[] = "SELECT base FROM lane_groups WHERE job = $1 AND category = $2";
constexpr char insert_lane_group[] =
    "INSERT INTO lane_groups (base, job, category, stage_count) VALUES ($1, $2, $3, $4)";

std::vector<std::int64_t> values_of(const std::vector<JobId>& jobs) {
  std::vector<std::int64_t> values;
  for (const JobId job : jobs) values.push_back(job.value());
  return values;
}

}  // namespace

void PostgresRows::take_job_rows(Reply reply) {
  ReplyRows rows(std::move(reply));
  for (sql::Cursor row(rows); row.next();) {
    JobEntry entry{.row = sql::job_row_of(row), .written = {}};
    entry.written = sql::settings_of(entry.row);
    const Job& job = entry.row.job;
    cache_.workflow_of.insert_or_assign(job.id, job.workflow_hash);
    jobs_.insert_or_assign(job.id, std::move(entry));
  }
}

void PostgresRows::learn(const std::vector<JobId>& jobs) {
  std::vector<std::int64_t> unknown;
  for (const JobId id : jobs) {
    if (!cache_.workflow_of.contains(id)) unknown.push_back(id.value());
  }
  if (!unknown.empty()) {
    const Reply found = connection_.ask(select_hashes, Parameters().add_numbers(unknown));
    for (int i = 0; i < found.rows(); ++i) {
      cache_.workflow_of.insert_or_assign(JobId{found.integer(i, 0)}, found.view(i, 1));
    }
  }
  for (const JobId id : jobs) (void)workflow_of(id);
}

const Workflow* PostgresRows::workflow_of(JobId job) {
  const auto hash = cache_.workflow_of.find(job);
  return hash == cache_.workflow_of.end() ? nullptr : &workflow(hash->second);
}

void PostgresRows::want_jobs(const std::vector<JobId>& jobs) {
  std::set<std::string> pools;
  for (const JobId id : jobs) {
    const Workflow* its = workflow_of(id);
    for (std::size_t i = 0; its != nullptr && i < its->stage_count(); ++i) {
      const Limits& limits = its->plan(static_cast<StageIndex>(i)).limits;
      if (limits.parallel > 0 || limits.rate.is_set()) pools.insert(limits.pool);
    }
  }
  connection_.want(select_jobs, Parameters().add_numbers(values_of(jobs)));
  want_pools(pools);
}

void PostgresRows::take_jobs(const std::vector<JobId>& jobs, Reply its_rows, Reply pools) {
  take_job_rows(std::move(its_rows));
  for (const JobId id : jobs) jobs_.try_emplace(id);
  take_pools(std::move(pools));
}

bool PostgresRows::lock(std::vector<JobId> jobs) {
  std::erase_if(jobs, [&](JobId id) { return jobs_.contains(id); });
  if (jobs.empty()) return false;
  std::ranges::sort(jobs);
  jobs.erase(std::ranges::unique(jobs).begin(), jobs.end());
  take_job_rows(connection_.ask(select_jobs, Parameters().add_numbers(values_of(jobs))));
  for (const JobId id : jobs) jobs_.try_emplace(id);
  return true;
}

void PostgresRows::expect(const store::Expected& expected) {
  if (const auto* const chunk = std::get_if<const AddItems*>(&expected)) coming_ = *chunk;
  if (const auto* const request = std::get_if<const ClaimRequest*>(&expected)) {
    expect_claim(**request);
  }
  if (const auto* const batch = std::get_if<const store::StepBatch*>(&expected)) {
    expect_batch(**batch);
  }
}

void PostgresRows::expect_claim(const ClaimRequest& request) {
  std::set<JobId> jobs;
  for (const LaneShare& share : request.shares) jobs.insert(share.job);
  const std::vector<JobId> ids(jobs.begin(), jobs.end());
  learn(ids);
  want_worker(request.worker);
  want_jobs(ids);
  connection_.want(select_server_time);
  std::vector<Reply> answers = connection_.answers();
  server_time_ = Timestamp{Duration{answers.back().integer(0, 0)}};
  take_worker(request.worker, std::move(answers[0]));
  take_jobs(ids, std::move(answers[1]), std::move(answers[2]));
}

Timestamp PostgresRows::server_time() {
  if (!server_time_) {
    server_time_ = Timestamp{Duration{connection_.ask(select_server_time).integer(0, 0)}};
  }
  return *server_time_;
}

PostgresRows::JobEntry* PostgresRows::find_job(JobId id) {
  (void)lock({id});
  std::optional<JobEntry>& entry = jobs_.at(id);
  return entry ? &*entry : nullptr;
}

Job* PostgresRows::job(JobId id) {
  JobEntry* entry = find_job(id);
  if (entry == nullptr) return nullptr;
  sql::check_counters(entry->row.job, workflow(entry->row.job.workflow_hash));
  return &entry->row.job;
}

Job* PostgresRows::job_with_key(std::string_view workflow_name, std::string_view key) {
  const Reply found = connection_.ask(select_job_with_key, Parameters::of(workflow_name, key));
  return found.rows() == 0 ? nullptr : job(JobId{found.integer(0, 0)});
}

Job* PostgresRows::insert_job(const Job& fresh) {
  JobEntry entry{.row = {.job = fresh}, .written = {}, .is_fresh = true, .is_changed = true};
  entry.row.first_ordinal = entry.row.last_ordinal = fresh.reduce_ordinal;
  const JobId id{counter("job")++};
  entry.row.job.id = id;
  keys_loaded_.insert(id);  // a new job has no keys
  return &jobs_.insert_or_assign(id, std::move(entry)).first->second->row.job;
}

void PostgresRows::put_job(const Job& job) {
  JobEntry* entry = find_job(job.id);
  require(entry != nullptr, "a job that is written has a row");
  if (&entry->row.job != &job) entry->row.job = job;
  entry->is_changed = true;
}

std::vector<JobId> PostgresRows::overdue_jobs(Timestamp now) {
  for (;;) {
    std::vector<JobId> overdue = sql::jobs_past_deadline(connection_, now);
    if (!lock(overdue)) return overdue;
  }
}

void PostgresRows::keep_workflow(const Workflow& workflow) {
  connection_.post(insert_workflow, Parameters::of(workflow.hash(), workflow.name(),
                                                   describe(workflow.definition())));
  cache_.workflows.emplace(workflow.hash(), workflow);
}

const Workflow& PostgresRows::workflow(const std::string& hash) {
  if (const auto known = cache_.workflows.find(hash); known != cache_.workflows.end()) {
    return known->second;
  }
  const Reply found = connection_.ask(select_workflow, Parameters::of(hash));
  if (found.rows() == 0) throw Fault(ErrorCode::corrupt, "the workflow " + hash + " is missing");
  Workflow workflow = sql::stored_workflow(hash, std::string(found.view(0, 0)));
  return cache_.workflows.emplace(hash, std::move(workflow)).first->second;
}

/// The row is locked until the commit: other transactions that draw from the same counter wait.
std::int64_t& PostgresRows::counter(const char* name) {
  auto known = counters_.find(name);
  if (known == counters_.end()) {
    const Reply found = connection_.ask(select_counter, Parameters::of(name));
    if (found.rows() == 0) {
      throw Fault(ErrorCode::corrupt, "the counter '" + std::string(name) + "' is missing");
    }
    known = counters_.emplace(name, std::pair(found.integer(0, 0), false)).first;
  }
  known->second.second = true;
  return known->second.first;
}

std::int64_t PostgresRows::take_ordinals(std::int64_t count) {
  std::int64_t& next = counter("ordinal");
  if (first_drawn_ == 0) first_drawn_ = next;
  return std::exchange(next, next + count);
}

LaneId PostgresRows::lane_base(JobId job, std::string_view category, std::size_t stage_count) {
  const KeyOfJob key(job, category);
  if (const auto known = cache_.lanes.find(key); known != cache_.lanes.end()) return known->second;
  if (const auto fresh = fresh_lanes_.find(key); fresh != fresh_lanes_.end()) return fresh->second;
  const Reply found = connection_.ask(select_lane_base, Parameters::of(job, category));
  if (found.rows() > 0) {
    return cache_.lanes.emplace(key, LaneId{found.integer(0, 0)}).first->second;
  }
  std::int64_t& next = counter("lane");
  const LaneId base{next};
  next += static_cast<std::int64_t>(stage_count);
  connection_.post(insert_lane_group, Parameters::of(base, job, category, stage_count));
  fresh_lanes_.emplace(key, base);
  return base;
}

void PostgresRows::note_ordinal(JobId id, std::int64_t ordinal) {
  JobEntry* entry = find_job(id);
  require(entry != nullptr, "a row belongs to a job that exists");
  sql::JobRow& row = entry->row;
  if (row.first_ordinal != 0 && row.first_ordinal <= ordinal && ordinal <= row.last_ordinal) return;
  if (row.first_ordinal == 0 || ordinal < row.first_ordinal) row.first_ordinal = ordinal;
  if (ordinal > row.last_ordinal) row.last_ordinal = ordinal;
  entry->is_changed = true;
}

std::uint32_t PostgresRows::submission_pass(JobId id) {
  const JobEntry* entry = find_job(id);
  return entry == nullptr ? 0 : entry->row.pass;
}

void PostgresRows::set_submission_pass(JobId id, std::uint32_t pass) {
  JobEntry* entry = find_job(id);
  require(entry != nullptr, "a pass belongs to a job that exists");
  entry->row.pass = pass;
  entry->is_changed = true;
}

}  // namespace pawl::postgres
