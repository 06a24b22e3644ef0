#pragma once

/// The rows of the memory store: plain maps, the reference for what every store keeps. Every change
/// notes how to undo it, so that a refused transaction can be rolled back.

#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pawl/store/records.hpp"
#include "store/ledger/rows.hpp"
#include "store/memory/memory_people.hpp"

namespace pawl::store {

/// One row of the log.
struct JournalRow {
  JobId job;
  Timestamp at;
  std::vector<Event> events;
};

class MemoryRows final : public Rows {
 public:
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
  std::optional<ItemProgress> progress(ItemId item) override;
  void put_progress(ItemId item, const ItemProgress& progress) override;
  ItemBrief brief(ItemId item) override;
  std::optional<FinishedItem> finished_before(const Job& job, std::string_view key,
                                              std::string_view sha256) override;
  void delete_ordinals(std::int64_t first, std::int64_t last) override;
  void delete_item(ItemId item) override;

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
  void insert_answer(const GivenAnswer& answer) override { put_answer(answer); }
  void put_answer(const GivenAnswer& answer) override;
  MemoryPeople& people() override { return people_; }
  AuditEntry newest_audit() override { return audit.empty() ? AuditEntry() : audit.back(); }
  void append_audit(const AuditEntry& entry) override;
  void append_journal(JobId job, Timestamp at, std::span<const Event> events) override;
  std::int64_t pool_open(const std::string& pool) override;
  [[nodiscard]] std::vector<PoolUse> pool_uses() const;
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

  std::optional<Item> item_with_key(JobId job, std::string_view key);
  /// False if there is no such worker, or it is gone.
  bool renew_worker(WorkerId worker, Timestamp now, Timestamp holds_since);

  // A transaction begins with the first change and ends with one of these.
  void commit();
  void roll_back();
  /// Whether the open transaction has changed anything that others may wait for. The coming and
  /// going of workers is not news.
  [[nodiscard]] bool has_news() const { return has_news_; }

  /// Of the rows that come with every step: nodes of one size from large pieces.
  std::pmr::unsynchronized_pool_resource memory;

  // What the records read directly.
  struct LaneGroup {
    JobId job;
    std::string category;
    std::int64_t base = 0;
    std::int64_t stages = 0;
  };
  std::map<JobId, Job> jobs;
  std::map<std::string, Workflow, std::less<>> workflows;
  std::map<std::int64_t, LaneGroup> lane_groups;  ///< by base
  std::map<ItemId, Item> items;
  std::pmr::map<TaskId, Task> tasks{&memory};
  std::pmr::map<std::pair<TaskId, AttemptNumber>, Attempt> closed_attempts{&memory};
  std::map<ReviewId, Review> reviews;
  std::map<std::pair<ReviewId, std::uint32_t>, GivenAnswer> given_answers;
  std::vector<AuditEntry> audit;
  std::vector<JournalRow> journal;
  std::map<WorkerId, WorkerRecord> workers;
  std::map<std::string, std::string, std::less<>> payloads;

  // Indexes over the tasks.
  std::map<LaneId, std::set<std::pair<std::int64_t, TaskId>>> ready_by_lane;  ///< (age, task)
  std::set<std::pair<Timestamp, TaskId>> retries;
  std::pmr::map<WorkerId, std::pmr::set<TaskId>> held{&memory};
  std::map<TaskId, std::set<TaskId>> children;
  std::set<std::pair<JobId, TaskId>> failed;

 private:
  void index(const Task& task);
  void unindex(const Task& task);
  /// Notes how to undo a change that others may wait for.
  void note(std::function<void()> undo);
  /// Notes what the map has for the key, before it changes.
  template <class Map>
  void remember(Map& map, const typename Map::key_type& key);
  void remember_worker(WorkerId worker);
  void erase_task(TaskId task);
  void erase_attempts(TaskId first, TaskId last);
  void erase_answers(ReviewId review);

  std::map<std::pair<JobId, std::string>, std::int64_t, std::less<>> lane_bases_;
  std::map<JobId, std::map<std::string, std::pair<ItemId, std::uint32_t>, std::less<>>> keys_;
  std::map<JobId, std::uint32_t> passes_;
  std::map<TaskId, ReviewId> pending_reviews_;
  MemoryPeople people_{[this](std::function<void()> undo) { note(std::move(undo)); }};
  std::map<std::string, std::int64_t, std::less<>> pools_;
  struct Opening {
    Timestamp at;
    Timestamp keep_until;
  };
  std::map<std::string, std::map<std::int64_t, Opening>, std::less<>> openings_;  ///< by number
  std::map<WorkerId, Duration> leases_;
  std::map<WorkerId, bool> may_hold_;  ///< false: swept, it holds nothing any more
  struct Sequences {
    std::int64_t next_ordinal = 1;
    std::int64_t last_review = 0;
    std::int64_t next_lane = 1;
  };
  Sequences sequences_;

  // Of the open transaction.
  std::map<JobId, Job> working_copies_;
  std::vector<std::function<void()>> undo_;  ///< in the order of the changes
  bool has_news_ = false;
  Sequences sequences_before_;
};

}  // namespace pawl::store
