#pragma once

/// The rows of one write transaction on PostgreSQL; store/ledger/rows.hpp documents each function.
///
/// Two rules:
///
/// 1. **A job's row is locked before any row of the job is read or written.** So each job has one
///    writer at a time, as on SQLite, while different jobs proceed in parallel. A read that finds
///    rows of jobs that are not locked yet locks them and reads again. Locks are taken in this
///    order: the worker, jobs by id, pools by name, counters. A change of people needs only the
///    counter of the audit trail, and takes it before it reads. After a deadlock, the transaction
///    is repeated.
///
/// 2. **Writes are buffered and sent as arrays**, a few statements for a thousand rows. A row that
///    was read or written is answered from memory. Before a read by condition, the buffered writes
///    are sent along, so that the read sees them. The rows that a batch will need are fetched
///    together (`expect`).
///
/// The attempts of a batch, which are most of its bytes, are sent before the locks are taken: their
/// keys are unique, so several workers of one job write them in parallel. Attempts that turn out to
/// be fenced are removed again.
///
/// The rows of the journal are numbered and written by the very last statement: the numbers are
/// dense and in the order of the commits, and the lock on them is held only briefly.
///
/// The sources: rows_jobs.cpp, rows_items.cpp, rows_tasks.cpp, rows_reviews.cpp, rows_limits.cpp;
/// rows_written.cpp sends the writes.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "postgres/connection.hpp"
#include "postgres/immutable_cache.hpp"
#include "postgres/server_clock.hpp"
#include "sql/job_codec.hpp"
#include "sql/people_rows.hpp"
#include "store/ledger/ledger_store.hpp"

namespace pawl::postgres {

class PostgresRows final : public store::Rows {
 public:
  /// Use it inside a transaction of `connection`. Both must outlive this object. `is_repeated`: the
  /// transaction failed before, so nothing is taken for granted.
  PostgresRows(Connection& connection, ImmutableCache& cache, bool is_repeated = false);

  /// Prefetches what the transaction will need in few round trips. Optional; it only saves time.
  void expect(const store::Expected& expected);

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

  /// The server's clock. For a batch or a claim: when its locks were granted.
  [[nodiscard]] Timestamp server_time();

  /// Whether the transaction wrote anything that others may wait for.
  [[nodiscard]] bool has_news() const { return has_news_; }

  /// Posts all buffered writes, the journal last. Next comes the commit.
  void finish();
  /// Call it after the commit: updates the cache with what the commit made final.
  void remember();

 private:
  struct JobEntry {
    sql::JobRow row;
    sql::JobSettings written;
    bool is_fresh = false;  ///< not inserted yet
    bool is_changed = false;
  };
  struct TaskEntry {
    std::optional<Task> row;        ///< none: only the version is known, or there is no row
    Version version = 0;            ///< as the ledger knows it; 0: there is no row
    std::optional<Version> stored;  ///< as stored in the database; none: not inserted yet
    bool is_changed = false;
  };
  struct PoolEntry {
    std::int64_t open = 0;
    bool is_changed = false;
    // For its rate limit.
    bool has_marks = false;  ///< the numbers below are known
    std::int64_t newest_stored = 0;
    std::int64_t newest = 0;
    std::map<std::int64_t, Timestamp> marks;  ///< by number, as far as they were fetched
    std::int64_t asked_from = 0;              ///< the marks in [from, end) were fetched
    std::int64_t asked_end = 0;
    std::int64_t forget_to = 0;
    Timestamp forget_at;
  };
  using KeyOfJob = std::pair<JobId, std::string>;

  void expect_batch(const store::StepBatch& batch);
  void expect_claim(const ClaimRequest& request);

  // rows_jobs.cpp
  JobEntry* find_job(JobId id);
  /// Looks up the workflows of the jobs, once for each.
  void learn(const std::vector<JobId>& jobs);
  [[nodiscard]] const Workflow* workflow_of(JobId job);
  /// Sends two statements: the jobs, and the pools of their workflows.
  void want_jobs(const std::vector<JobId>& jobs);
  void take_jobs(const std::vector<JobId>& jobs, Reply its_rows, Reply pools);
  void take_job_rows(Reply reply);
  /// Locks those of the jobs that are not locked yet. Returns whether there were any.
  bool lock(std::vector<JobId> jobs);
  /// Returns the result of `read` once all its rows belong to locked jobs.
  template <class Read>
  auto read_locked(Read read) -> decltype(read());
  std::int64_t& counter(const char* name);
  void note_ordinal(JobId job, std::int64_t ordinal);

  // rows_items.cpp
  void load_keys(JobId job);
  void load_progress(std::span<const std::int64_t> items);
  void take_progress(Reply reply);

  // rows_tasks.cpp
  TaskEntry& entry_of(TaskId id);
  void remember(const Task& row);
  void touch(TaskId id, TaskEntry& entry);
  std::vector<Task> take_tasks(Reply reply);
  void send_attempts_early(std::span<const Step> steps);
  void take_back_early_attempts();
  std::vector<Task> select_tasks(const char* sql, const Parameters& parameters);

  // rows_limits.cpp
  PoolEntry& find_pool(const std::string& name);
  void want_pools(const std::set<std::string>& names);
  void take_pools(Reply reply);
  PoolEntry& rated_pool(const std::string& name);
  void want_worker(WorkerId worker);
  void take_worker(WorkerId worker, Reply reply);

  // rows_written.cpp
  void send();
  void send_items();
  void send_tasks();
  void send_attempts();
  void send_reviews();
  /// Adds the rows of a review in the lists of its assignees.
  static void append_queued(ArrayRows& rows, const Review& review, ReviewId id);
  void send_answers();
  void send_audit();
  void send_limits();
  void send_counters();
  void send_jobs();
  void send_journal();

  Connection& connection_;
  ImmutableCache& cache_;
  sql::SqlPeopleRows people_;
  const bool is_repeated_;
  const AddItems* coming_ = nullptr;
  std::optional<Timestamp> server_time_;
  bool has_news_ = false;
  bool has_arrived_ = false;      ///< some rows of the journal come from another store
  std::int64_t first_drawn_ = 0;  ///< the first ordinal of this transaction

  std::map<JobId, std::optional<JobEntry>> jobs_;  ///< locked; none: there is no such job
  std::map<KeyOfJob, LaneId> fresh_lanes_;
  std::map<std::string, std::pair<std::int64_t, bool>, std::less<>> counters_;  ///< value, changed

  std::map<KeyOfJob, std::optional<std::uint32_t>, std::less<>> seen_;
  std::set<JobId> keys_loaded_;
  std::map<std::pair<std::string, std::string>, std::optional<store::FinishedItem>> finished_;
  bool finished_loaded_ = false;
  std::unordered_map<ItemId, std::pair<std::optional<store::ItemProgress>, bool>> progress_;
  std::unordered_map<ItemId, store::ItemBrief> briefs_;
  ArrayRows new_items_;
  ArrayRows seen_again_;

  std::unordered_map<TaskId, TaskEntry> tasks_;
  std::vector<TaskId> changed_tasks_;
  ArrayRows new_attempts_;
  /// Sent before the locks were taken and not yet written by the ledger; the steps own them.
  std::map<std::pair<TaskId, AttemptNumber>, const Attempt*> early_attempts_;

  ArrayRows new_reviews_;
  std::map<ReviewId, Review> changed_reviews_;
  ArrayRows new_queued_;  ///< for the lists of the assignees
  ArrayRows new_answers_;
  std::optional<AuditEntry> newest_audit_;  ///< none: not read yet, and others may append
  ArrayRows new_audit_;
  ArrayRows journal_;
  std::string journal_text_;

  std::map<std::string, PoolEntry> pools_;
  ArrayRows new_marks_;

  std::map<WorkerId, std::optional<WorkerRecord>> workers_;  ///< locked
};

/// In the order that `take_progress` reads.
inline constexpr char select_progress[] =
    "SELECT id, job, state, cancelled, sinks_left, failed_tasks, adopted_from <> 0 FROM items "
    "WHERE id = ANY($1)";

}  // namespace pawl::postgres
