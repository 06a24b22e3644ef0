#pragma once

/// The reads that people, reports and recovery need. Every list is paged by a cursor and ordered,
/// so that no read is long: `after` is the last id of the page before, `limit` the page's size.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/review.hpp"
#include "pawl/store/store.hpp"

namespace pawl {

struct JobFilter {
  std::optional<bool> ended;
  std::string workflow_name;
  JobId before;  ///< newest first: ids smaller than this; none: from the newest
  std::uint32_t limit = 100;
};
struct ItemFilter {
  JobId job;
  /// As it shows: an item is cancelled, too, once a cancel of it or of its job cuts it short.
  std::optional<ItemState> state;
  std::string category;
  ItemId after;
  std::uint32_t limit = 100;
};
struct TaskFilter {
  JobId job;                       ///< none: all jobs
  std::optional<StateKind> state;  ///< as stored
  std::optional<bool> discarded;   ///< of Failed tasks
  WorkerId worker;                 ///< Running tasks of this worker
  TaskId parent;                   ///< children of this task, current expansion first by id
  TaskId after;
  std::uint32_t limit = 100;
};
struct ReviewFilter {
  JobId job;
  TaskId task;
  std::optional<ReviewStatus> status;
  ReviewId after;
  std::uint32_t limit = 100;
};
struct EventFilter {
  JobId job;
  ItemId item;
  EventSeq after = 0;
  /// Only events of this time and later; none: all. Exact while the clocks of those who write
  /// differ by less than a minute.
  Timestamp since = no_time;
  std::uint32_t limit = 1'000;
};

/// The output of a stage as downstream reads it: the chosen attempt's, or a reviewer's edits.
struct StageOutput {
  StageIndex stage{};
  StateKind state = StateKind::waiting;
  AttemptNumber attempt = 0;
  bool edited = false;
  Json output;  ///< null for a skipped or unfinished stage
  std::vector<ArtifactRecord> artifacts;
};

/// How many attempts hold a place in a pool.
struct PoolUse {
  std::string pool;
  std::int64_t open = 0;
  friend bool operator==(const PoolUse&, const PoolUse&) = default;
};

class Records {
 public:
  virtual ~Records() = default;

  [[nodiscard]] virtual Result<Job> job(JobId id) = 0;
  [[nodiscard]] virtual Result<std::vector<Job>> jobs(const JobFilter& filter) = 0;
  /// The definition a job is pinned to.
  [[nodiscard]] virtual Result<Workflow> workflow(std::string_view hash) = 0;

  [[nodiscard]] virtual Result<Item> item(ItemId id) = 0;
  [[nodiscard]] virtual Result<Item> item(JobId job, std::string_view key) = 0;
  [[nodiscard]] virtual Result<std::vector<Item>> items(const ItemFilter& filter) = 0;

  [[nodiscard]] virtual Result<Task> task(TaskId id) = 0;
  [[nodiscard]] virtual Result<std::vector<Task>> tasks(const TaskFilter& filter) = 0;
  /// The stored tasks of an item, without children, in stage order.
  [[nodiscard]] virtual Result<std::vector<Task>> tasks_of(ItemId item) = 0;
  /// All closed attempts of a task, by number; an empty list when there are none.
  [[nodiscard]] virtual Result<std::vector<Attempt>> attempts(TaskId task) = 0;
  /// The outputs of an item's ended stages, in stage order; an adopted item's are its original's.
  [[nodiscard]] virtual Result<std::vector<StageOutput>> outputs(ItemId item) = 0;
  /// The output of one task, children and job-wide tasks included.
  [[nodiscard]] virtual Result<StageOutput> output(TaskId task) = 0;

  [[nodiscard]] virtual Result<Review> review(ReviewId id) = 0;
  [[nodiscard]] virtual Result<std::vector<Review>> reviews(const ReviewFilter& filter) = 0;

  /// Events after a cursor, in order, none missed.
  [[nodiscard]] virtual Result<std::vector<Event>> events(const EventFilter& filter) = 0;

  [[nodiscard]] virtual Result<std::vector<WorkerRecord>> workers() = 0;
  [[nodiscard]] virtual Result<WorkerRecord> worker(WorkerId id) = 0;

  /// Bytes kept by `keep_payload`.
  [[nodiscard]] virtual Result<std::string> payload(std::string_view sha256) = 0;
  /// The file it lies in, for programs that want a path. Read-only; its name says nothing.
  [[nodiscard]] virtual Result<std::filesystem::path> payload_path(std::string_view sha256) = 0;

  // What only checking a store asks for. Whoever only passes reads on may leave these as they are.

  /// Hands a payload's bytes to `take` as they lie there, piece by piece. A store may look at them
  /// itself and answer `corrupt`; who wants to be sure sums them up.
  [[nodiscard]] virtual Status payload_pieces(
      std::string_view sha256, const std::function<Status(std::string_view piece)>& take);
  /// How long a payload is, without reading it.
  [[nodiscard]] virtual Result<std::int64_t> payload_size(std::string_view sha256);
  /// What the database's own check of itself finds wrong, one sentence each; nothing where it is
  /// whole, or has no such check. `thorough`: every index is held against its table, too.
  [[nodiscard]] virtual Result<std::vector<std::string>> damage(bool thorough);
  /// The pools' counters, by name. `refused` where they cannot be told.
  [[nodiscard]] virtual Result<std::vector<PoolUse>> pools();
};

}  // namespace pawl
