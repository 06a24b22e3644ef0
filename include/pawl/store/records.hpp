#pragma once

/// The read side of a store. Every list is ordered and paged by a cursor, so that no read is long:
/// `after` is the last id of the previous page, `limit` is the page size.
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
#include "pawl/core/review_rules.hpp"
#include "pawl/store/audit.hpp"
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
  /// The displayed state: an item also counts as cancelled once a cancel of it or of its job cuts
  /// it short.
  std::optional<ItemState> state;
  std::string category;
  std::string key_prefix;  ///< keys that begin with this; empty: all. Ordered by id all the same
  ItemId after;
  std::uint32_t limit = 100;
};
struct TaskFilter {
  JobId job;                        ///< none: all jobs
  std::optional<StageIndex> stage;  ///< needs `job`
  std::optional<StateKind> state;   ///< as stored
  std::optional<bool> discarded;    ///< for Failed tasks
  WorkerId worker;                  ///< Running tasks of this worker
  TaskId parent;                    ///< children of this task, ordered by id
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
/// The reviews that wait for people, those that are due first. Reviews without a due time come
/// last.
struct InboxFilter {
  /// Names and "group:NAME": those that are assigned to one of them. Empty: those of everybody.
  std::vector<std::string> assigned_to;
  bool open_to_all = true;  ///< with `assigned_to`: also those that are assigned to nobody
  std::string claimed_by;   ///< if not empty: only what this person has claimed
  Timestamp overdue_at;     ///< if set: only what is due at this time or earlier
  JobId job;                ///< none: all jobs
  /// The last review of the previous page.
  Timestamp after_due;
  ReviewId after;
  std::uint32_t limit = 100;
};
/// How many rows a list has, as far as counting goes.
struct Tally {
  std::int64_t count = 0;
  bool is_more = false;  ///< there are more than were counted
};
inline constexpr std::uint32_t tally_max = 1'000;

struct EventFilter {
  JobId job;
  ItemId item;
  EventSeq after = 0;
  /// Only events at this time or later; none: all. Exact while the clocks of the writers differ by
  /// less than a minute.
  Timestamp since = no_time;
  std::uint32_t limit = 1'000;
};

/// The output of a stage as downstream stages read it: that of the chosen attempt, or a reviewer's
/// edits.
struct StageOutput {
  StageIndex stage{};
  StateKind state = StateKind::waiting;
  AttemptNumber attempt = 0;
  bool edited = false;
  Json output;  ///< null for a skipped or unfinished stage
  std::vector<ArtifactRecord> artifacts;
};

/// The number of open attempts that hold a slot in a pool.
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
  /// The definition that a job is pinned to.
  [[nodiscard]] virtual Result<Workflow> workflow(std::string_view hash) = 0;

  [[nodiscard]] virtual Result<Item> item(ItemId id) = 0;
  [[nodiscard]] virtual Result<Item> item(JobId job, std::string_view key) = 0;
  [[nodiscard]] virtual Result<std::vector<Item>> items(const ItemFilter& filter) = 0;

  [[nodiscard]] virtual Result<Task> task(TaskId id) = 0;
  [[nodiscard]] virtual Result<std::vector<Task>> tasks(const TaskFilter& filter) = 0;
  /// The stored tasks of an item, without children, in stage order.
  [[nodiscard]] virtual Result<std::vector<Task>> tasks_of(ItemId item) = 0;
  /// All closed attempts of a task, by number; empty if there are none.
  [[nodiscard]] virtual Result<std::vector<Attempt>> attempts(TaskId task) = 0;
  /// The outputs of an item's ended stages, in stage order. An adopted item has those of its
  /// original.
  [[nodiscard]] virtual Result<std::vector<StageOutput>> outputs(ItemId item) = 0;
  /// The output of one task; also for children and job-wide tasks.
  [[nodiscard]] virtual Result<StageOutput> output(TaskId task) = 0;

  [[nodiscard]] virtual Result<Review> review(ReviewId id) = 0;
  [[nodiscard]] virtual Result<std::vector<Review>> reviews(const ReviewFilter& filter) = 0;

  /// The reviews that wait for people, in the order of their due times.
  [[nodiscard]] virtual Result<std::vector<Review>> inbox(const InboxFilter& filter) = 0;
  /// All answers that were given to a review, in order.
  [[nodiscard]] virtual Result<std::vector<GivenAnswer>> answers(ReviewId review) = 0;
  /// The audit trail, in order.
  [[nodiscard]] virtual Result<std::vector<AuditEntry>> audit(const AuditFilter& filter) = 0;

  // How long a list is, counted up to `tally_max` from the index that the list itself uses. The
  // cursor and the limit of the filter are ignored.
  [[nodiscard]] virtual Result<Tally> count(const ItemFilter& filter) = 0;
  [[nodiscard]] virtual Result<Tally> count(const TaskFilter& filter) = 0;
  [[nodiscard]] virtual Result<Tally> count(const InboxFilter& filter) = 0;

  /// The number of the newest event; 0: there is none.
  [[nodiscard]] virtual Result<EventSeq> last_event() = 0;
  /// Events after a cursor, in order, without gaps.
  [[nodiscard]] virtual Result<std::vector<Event>> events(const EventFilter& filter) = 0;

  [[nodiscard]] virtual Result<std::vector<WorkerRecord>> workers() = 0;
  [[nodiscard]] virtual Result<WorkerRecord> worker(WorkerId id) = 0;

  /// The bytes stored by `keep_payload`.
  [[nodiscard]] virtual Result<std::string> payload(std::string_view sha256) = 0;
  /// The file that holds it, for programs that need a path. Read-only. Its name has no meaning.
  [[nodiscard]] virtual Result<std::filesystem::path> payload_path(std::string_view sha256) = 0;

  // Only `verify` and explanations need these. A class that forwards reads to another store may
  // leave them as they are.

  /// Passes the raw bytes of a payload to `take`, piece by piece. A store may check them itself and
  /// return `corrupt`; a caller that needs certainty computes the digest.
  [[nodiscard]] virtual Status payload_pieces(
      std::string_view sha256, const std::function<Status(std::string_view piece)>& take);
  /// The size of a payload, without reading it.
  [[nodiscard]] virtual Result<std::int64_t> payload_size(std::string_view sha256);
  /// The bytes from `from` on: at least one and at most `bytes_max`, empty at the end. Does not
  /// check the digest. For readers that are slower than the store and cannot hold a whole payload.
  [[nodiscard]] virtual Result<std::string> payload_range(std::string_view sha256,
                                                          std::int64_t from, std::size_t bytes_max);
  /// What the database's own integrity check finds wrong, one sentence each. Empty if the database
  /// is sound, or has no such check. `thorough`: also compares every index with its table.
  [[nodiscard]] virtual Result<std::vector<std::string>> damage(bool thorough);
  /// When the `count`-th newest attempt of a pool with a rate was opened; none: there were fewer,
  /// as far as the rate needs them. `refused` if it cannot be determined.
  [[nodiscard]] virtual Result<Timestamp> opening_before(const std::string& pool,
                                                         std::uint32_t count);
  /// The counters of the pools, by name. `refused` if they cannot be determined.
  [[nodiscard]] virtual Result<std::vector<PoolUse>> pools();
};

}  // namespace pawl
