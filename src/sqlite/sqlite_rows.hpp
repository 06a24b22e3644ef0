#pragma once

/// The rows of one write transaction on SQLite; store/ledger/rows.hpp documents each function. The
/// sources: rows_jobs.cpp, rows_items.cpp, rows_tasks.cpp, rows_reviews.cpp, rows_rates.cpp.

#include <cstdint>
#include <map>
#include <vector>

#include "sql/people_rows.hpp"
#include "sqlite/db.hpp"
#include "sqlite/row_cache.hpp"
#include "sqlite/worker_locks.hpp"
#include "store/ledger/rows.hpp"

namespace pawl::sqlite {

struct WorkerChanges {
  std::vector<WorkerId> enlisted;
  std::vector<WorkerId> retired;
  std::vector<WorkerId> forgotten;
};

class SqliteRows final : public store::Rows {
 public:
  /// Use it inside a write transaction of `connection`. All three arguments must outlive this
  /// object.
  SqliteRows(Connection& connection, RowCache& cache, const WorkerLocks& locks);

  Job* job(JobId id) override;
  Job* job_with_key(std::string_view workflow_name, std::string_view key) override;
  Job* insert_job(const Job& fresh) override;
  void put_job(const Job& job) override;
  std::vector<JobId> overdue_jobs(Timestamp now) override;
  void keep_workflow(const Workflow& workflow) override;
  const Workflow& workflow(const std::string& hash) override;
  std::int64_t take_ordinals(std::int64_t count) override;
  LaneId lane_base(JobId job, std::string_view category, std::size_t stage_count) override;

  void insert_item(const Item& item, std::uint32_t pass) override;
  std::optional<std::uint32_t> seen_in_pass(JobId job, std::string_view key) override;
  void mark_seen(JobId job, std::string_view key, std::uint32_t pass) override;
  std::uint32_t submission_pass(JobId job) override;
  void set_submission_pass(JobId job, std::uint32_t pass) override;
  std::optional<store::ItemProgress> progress(ItemId item) override;
  void put_progress(ItemId item, const store::ItemProgress& progress) override;
  store::ItemBrief brief(ItemId item) override;
  std::optional<store::FinishedItem> finished_before(const Job& job, std::string_view key,
                                                     std::string_view sha256) override;
  void delete_item(ItemId item) override;
  void delete_ordinals(std::int64_t first, std::int64_t last) override;

  std::optional<Task> task(TaskId id) override;
  bool replace_task(const Task& next, Version expected) override;
  bool insert_task(const Task& fresh) override;
  std::vector<Task> tasks_of(ItemId item) override;
  std::vector<Task> tasks_of_ordinal(std::int64_t ordinal) override;
  std::vector<Task> children_of(TaskId parent, std::uint32_t expansion) override;
  std::vector<TaskId> cancelled_tasks(JobId job) override;
  std::vector<Task> ready_tasks(std::span<const LaneId> lanes, std::uint32_t max) override;
  std::vector<Task> due_retries(Timestamp now, std::uint32_t max) override;
  std::vector<Task> running_of(WorkerId worker, std::uint32_t max) override;
  void insert_attempt(const Attempt& attempt) override;
  std::vector<Attempt> attempts(TaskId task) override;

  ReviewId insert_review(const Review& review) override;
  void put_review(const Review& review) override;
  std::optional<Review> review(ReviewId id) override;
  std::optional<Review> pending_review(TaskId task) override;
  std::vector<Review> due_answers(Timestamp now, std::uint32_t max) override;
  std::vector<Review> due_notices(Timestamp now, std::uint32_t max) override;
  std::vector<GivenAnswer> answers(ReviewId review) override;
  void insert_answer(const GivenAnswer& answer) override;
  void put_answer(const GivenAnswer& answer) override;
  store::PeopleRows& people() override { return people_; }
  AuditEntry newest_audit() override;
  void append_audit(const AuditEntry& entry) override;
  void append_journal(JobId job, Timestamp at, std::span<const Event> events) override;
  void append_arrived_journal(JobId job, Timestamp at, std::span<const Event> events) override;
  std::int64_t pool_open(const std::string& pool) override;
  void add_to_pool(const std::string& pool, std::int64_t change) override;
  Timestamp opening_before(const std::string& pool, std::uint32_t count) override;
  void note_opening(const std::string& pool, const Rate& rate, Timestamp at) override;

  WorkerId insert_worker(const WorkerRecord& worker) override;
  std::optional<WorkerRecord> worker(WorkerId id) override;
  bool put_limits(WorkerId worker, const WorkerLimits& limits) override;
  bool retire_worker(WorkerId worker) override;
  void put_last_batch(WorkerId worker, BatchNumber batch) override;
  std::vector<WorkerId> gone_workers(Timestamp now, WorkerId self) override;
  void forget_worker(WorkerId worker) override;
  Timestamp next_due(Timestamp now) override;

  /// Writes the deferred values that are written once. Call it before the commit.
  void flush();
  /// What this transaction did to workers. Their lock files follow.
  [[nodiscard]] const WorkerChanges& worker_changes() const { return worker_changes_; }

 private:
  /// The smallest and the largest job and item in a zone of the journal.
  struct Zone {
    std::int64_t job_lo = INT64_MAX;
    std::int64_t job_hi = 0;
    std::int64_t item_lo = INT64_MAX;
    std::int64_t item_hi = 0;
  };

  CachedJob* find_job(JobId id);
  /// Throws a `Fault` if the workflow of its job has no such stage.
  void check_stage(const Task& task);
  CachedPool& find_pool(const std::string& name);
  void write_later(CachedJob& job);
  void note_ordinal(JobId job, std::int64_t ordinal);
  void delete_task(TaskId task);
  template <class... Values>
  std::vector<Task> select_tasks(const char* sql, const Values&... values);

  Connection& connection_;
  RowCache& cache_;
  const WorkerLocks& locks_;
  sql::SqlPeopleRows people_;
  std::map<std::int64_t, Zone> zones_;
  WorkerChanges worker_changes_;
  std::vector<CachedJob*> unwritten_jobs_;
  std::vector<std::string> unwritten_pools_;
  /// Earlier jobs to adopt from, newest first; cached for one job at a time.
  JobId adopting_;
  std::vector<JobId> adoptable_;
  bool ordinals_taken_ = false;
  std::int64_t arrived_row_ = 0;  ///< the newest row of the journal that came from another store
  std::string text_;              ///< reused for the journal
};

}  // namespace pawl::sqlite
