#pragma once

/// Row access inside one write transaction. The ledger (ledger.hpp) holds the algorithm, once, for
/// every store; a store brings its rows.
///
/// Nothing here decides. Functions may throw what the store's adapter throws; the store turns that
/// into a `Result`, rolls back and forgets the ledger.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/review_rules.hpp"
#include "pawl/store/audit.hpp"
#include "pawl/store/store.hpp"
#include "store/ledger/people_rows.hpp"

namespace pawl::store {

/// The part of an item's row that changes.
struct ItemProgress {
  JobId job;
  ItemState state = ItemState::active;
  std::optional<CancelCause> cancelled;
  std::uint32_t sinks_left = 0;
  std::uint32_t failed_tasks = 0;
  bool adopted = false;
};

/// The part of an item's row that its code needs.
struct ItemBrief {
  std::string key;
  std::string category;
  Json data;
};

/// An item that an earlier job has finished.
struct FinishedItem {
  ItemId id;
  ItemState state = ItemState::succeeded;  ///< or rejected
};

class Rows {
 public:
  virtual ~Rows() = default;

  // Jobs. The pointer is a working copy, valid until the transaction ends; null when there is none.
  virtual Job* job(JobId id) = 0;
  virtual Job* job_with_key(std::string_view workflow_name, std::string_view key) = 0;
  /// Inserts with the next id and returns the working copy.
  virtual Job* insert_job(const Job& fresh) = 0;
  /// Writes a working copy back.
  virtual void put_job(const Job& job) = 0;
  /// Unfinished, unpaused jobs whose deadline has passed.
  virtual std::vector<JobId> overdue_jobs(Timestamp now) = 0;

  /// Stores a definition unless its hash is known.
  virtual void keep_workflow(const Workflow& workflow) = 0;
  /// REQUIRES: the hash is that of a stored job.
  virtual const Workflow& workflow(const std::string& hash) = 0;

  // Sequences: answers the first of `count` consecutive numbers.
  virtual std::int64_t take_ordinals(std::int64_t count) = 0;
  /// The lane of stage 0 for a job and category, made on first use for `stage_count` stages.
  virtual LaneId lane_base(JobId job, std::string_view category, std::size_t stage_count) = 0;

  // Items.
  virtual void insert_item(const Item& item, std::uint32_t pass) = 0;
  /// The pass in which an item of this key was last seen, or nothing.
  virtual std::optional<std::uint32_t> seen_in_pass(JobId job, std::string_view key) = 0;
  virtual void mark_seen(JobId job, std::string_view key, std::uint32_t pass) = 0;
  virtual std::uint32_t submission_pass(JobId job) = 0;
  virtual void set_submission_pass(JobId job, std::uint32_t pass) = 0;
  virtual std::optional<ItemProgress> progress(ItemId item) = 0;
  virtual void put_progress(ItemId item, const ItemProgress& progress) = 0;
  virtual ItemBrief brief(ItemId item) = 0;
  /// The item, succeeded or rejected, that an earlier trusted job (`is_trusted`) of the same
  /// workflow hash and params has for this key and data digest. For an adopted item its original.
  virtual std::optional<FinishedItem> finished_before(const Job& job, std::string_view key,
                                                      std::string_view data_sha256) = 0;
  /// Deletes the item with its tasks, attempts and reviews.
  virtual void delete_item(ItemId item) = 0;
  /// Deletes every item, task, attempt and review whose ordinal is in this range.
  virtual void delete_ordinals(std::int64_t first, std::int64_t last) = 0;

  // Tasks. A task's age, by which lanes are ordered, is the ordinal of its item (its own for a
  // job-wide task).
  virtual std::optional<Task> task(TaskId id) = 0;
  /// Compare-and-set on the version: false, and nothing written, when the row has moved on.
  virtual bool replace_task(const Task& next, Version expected) = 0;
  /// False when the task has a row already.
  virtual bool insert_task(const Task& fresh) = 0;
  /// Without children, in stage order.
  virtual std::vector<Task> tasks_of(ItemId item) = 0;
  /// The job-wide tasks of a job.
  virtual std::vector<Task> tasks_of_ordinal(std::int64_t ordinal) = 0;
  /// All children of a parent's expansion, by id.
  virtual std::vector<Task> children_of(TaskId parent, std::uint32_t expansion) = 0;
  /// The Cancelled tasks of a job's items, children included, by id. Children may be left out whose
  /// parent is not Expanded.
  virtual std::vector<TaskId> cancelled_tasks(JobId job) = 0;
  /// Ready tasks of these lanes, oldest item first, at most `max`.
  virtual std::vector<Task> ready_tasks(std::span<const LaneId> lanes, std::uint32_t max) = 0;
  virtual std::vector<Task> due_retries(Timestamp now, std::uint32_t max) = 0;
  virtual std::vector<Task> running_of(WorkerId worker, std::uint32_t max) = 0;

  // Attempts.
  virtual void insert_attempt(const Attempt& attempt) = 0;
  virtual std::vector<Attempt> attempts(TaskId task) = 0;

  // Reviews.
  virtual ReviewId insert_review(const Review& review) = 0;
  virtual void put_review(const Review& review) = 0;
  virtual std::optional<Review> review(ReviewId id) = 0;
  /// The open or answered (not yet effective) review of a task.
  virtual std::optional<Review> pending_review(TaskId task) = 0;
  /// The earliest first.
  virtual std::vector<Review> due_answers(Timestamp now, std::uint32_t max) = 0;

  /// The open reviews of which a notice is due, the earliest first.
  virtual std::vector<Review> due_notices(Timestamp now, std::uint32_t max) = 0;
  /// The answers of a review, in order.
  virtual std::vector<GivenAnswer> answers(ReviewId review) = 0;
  virtual void insert_answer(const GivenAnswer& answer) = 0;
  /// Writes the fate and the end of an answer back.
  virtual void put_answer(const GivenAnswer& answer) = 0;

  /// People, tokens and sessions.
  virtual PeopleRows& people() = 0;
  /// The newest entry of the audit trail; one without a number if there is none. Until the
  /// transaction ends, no other transaction appends.
  virtual AuditEntry newest_audit() = 0;
  virtual void append_audit(const AuditEntry& entry) = 0;

  // The log: one row, at most 16 events.
  virtual void append_journal(JobId job, Timestamp at, std::span<const Event> events) = 0;
  /// One that was written in another store: it may be older than the rows before it. Where a store
  /// looks for times in the log by their order, it has to remember that here they have none.
  virtual void append_arrived_journal(JobId job, Timestamp at, std::span<const Event> events) {
    append_journal(job, at, events);
  }

  // Pools: open attempts by name.
  virtual std::int64_t pool_open(const std::string& pool) = 0;
  virtual void add_to_pool(const std::string& pool, std::int64_t change) = 0;

  // Rates: the openings of a pool, numbered as they come.
  /// When the `count`-th newest opening was; none: there were fewer, as far as they are kept.
  virtual Timestamp opening_before(const std::string& pool, std::uint32_t count) = 0;
  /// Notes one more at `at`, and forgets what is not among the newest `rate.count` and too old to
  /// matter to the rate it was noted by.
  virtual void note_opening(const std::string& pool, const Rate& rate, Timestamp at) = 0;

  // Workers.
  virtual WorkerId insert_worker(const WorkerRecord& worker) = 0;
  virtual std::optional<WorkerRecord> worker(WorkerId id) = 0;
  /// False if there is no such worker.
  virtual bool put_limits(WorkerId worker, const WorkerLimits& limits) = 0;
  /// False if there is no such worker.
  virtual bool retire_worker(WorkerId worker) = 0;
  virtual void put_last_batch(WorkerId worker, BatchNumber batch) = 0;
  /// Workers that are known to be gone: lease run out, retired, or their process is dead. Only
  /// those that may still hold tasks.
  virtual std::vector<WorkerId> gone_workers(Timestamp now, WorkerId self) = 0;
  /// A gone worker holds nothing any more.
  virtual void forget_worker(WorkerId worker) = 0;

  /// The earliest retry, answer, notice or deadline after `now`; none: nothing.
  virtual Timestamp next_due(Timestamp now) = 0;
};

}  // namespace pawl::store
