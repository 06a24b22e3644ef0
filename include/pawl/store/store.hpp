#pragma once

/// Where jobs, items, tasks, attempts, reviews and events are kept: the write side.
///
/// A store remembers; it never decides. What the core decided is written as given, in one
/// transaction, all of it or none of it. Where rows must be read to decide (an expired lease, a
/// person's answer, a rerun), the store calls the core's pure functions inside its transaction.
///
/// Threads: every function may be called from any thread at the same time.
/// Implementations: `open_memory_store()` (the reference), `open_sqlite_store()` (the default),
/// `open_postgres_store()` (many machines).
/// To write another one, pass the suite in tests/contract.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/step.hpp"
#include "pawl/store/acts.hpp"
#include "pawl/store/arrival.hpp"
#include "pawl/store/clock.hpp"

namespace pawl {

class Records;

/// A job to be submitted.
struct NewJob {
  Workflow workflow;
  std::string key;  ///< where given, a second submission with it returns the first one's job
  Json params;
  Json labels;
  Budget budget;
  Tolerance tolerate_failures;
  std::uint32_t parallel = 0;
  std::int32_t priority = 0;
};

/// What an older system already knows of an item (import).
struct ItemHistory {
  std::vector<Attempt> attempts;  ///< of the first stage; numbered 1 … n
  bool succeeded = false;         ///< the newest attempt's output stands
  bool dead = false;              ///< a dead letter; otherwise the next attempt is due
};

struct NewItem {
  std::string key;  ///< not empty; equal keys of one pass become key#2, key#3
  std::string category;
  Json data;
  std::string data_sha256;  ///< compared for adoption; empty: never adopted
  std::optional<ItemHistory> history;
};

struct AddItems {
  JobId job;
  std::span<const NewItem> items;
  /// An item that an earlier job of the same workflow hash and params has Succeeded, with the same
  /// key and data digest, is taken over whole.
  bool adopt = false;
  bool close = false;  ///< the source is exhausted: submission is closed with this chunk
  /// Opens the first attempts at once for this worker, at most so many, where no limit stands in
  /// the way: an idle engine needs no second transaction.
  WorkerId open_for;
  std::uint32_t open_max = 0;
};

/// A task with what its code needs of its item.
struct Claimed {
  Task task;
  std::string item_key;
  std::string category;
  Json data;  ///< of the item; a child's own data is in task.child
};
struct Added {
  std::int64_t added = 0;
  std::int64_t present = 0;  ///< were there from an earlier pass over the same source
  std::int64_t adopted = 0;
  std::vector<Claimed> opened;  ///< Running for `open_for`
};
struct Submitted {
  Job job;
  Added items;
  bool was_known = false;  ///< a job of this workflow and key was there: nothing was added
};

struct WorkerHello {
  std::string host;
  std::int64_t pid = 0;
  std::string name;
  Duration lease{std::chrono::seconds(60)};
};
struct WorkerRecord {
  WorkerId id;
  std::string host;
  std::int64_t pid = 0;
  std::string name;
  Timestamp started_at;
  Timestamp lease_until;
  BatchNumber last_batch = 0;
  bool retired = false;
  /// As of its last renewal the worker held no attempt opened before this; none: not reported yet.
  Timestamp holds_since;
  friend bool operator==(const WorkerRecord&, const WorkerRecord&) = default;
};

/// A lane that has Ready tasks, with the age of its oldest.
struct LaneHead {
  LaneId lane;
  JobId job;
  StageIndex stage{};
  std::string category;
  std::int32_t priority = 0;
  std::int64_t oldest = 0;  ///< the ordinal of the oldest item waiting there
};

/// Take up to `max` Ready tasks of these lanes (of one job), oldest item first. A lane whose pool
/// is full does not stand in the way of the others.
struct LaneShare {
  struct Lane {
    LaneId id;
    StageIndex stage{};
  };
  JobId job;
  std::vector<Lane> lanes;
  std::uint32_t max = 0;
};
struct ClaimRequest {
  WorkerId worker;
  std::vector<LaneShare> shares;   ///< in order of turn
  std::uint32_t max = UINT32_MAX;  ///< of all together
};
struct Claims {
  std::vector<Claimed> opened;       ///< Running, attempt recorded, held by the worker
  std::vector<Claimed> conditional;  ///< still Ready: their `when` has to be evaluated first
  /// Jobs that refused (paused, cancelled, budget used up): as they are now.
  std::vector<Job> refused;
  /// Pools whose rate stood in the way, and when each allows another.
  struct HeldRate {
    std::string pool;
    Timestamp until;
  };
  std::vector<HeldRate> held_rates;
  /// The earliest moment at which a rate that stood in the way allows another; none: none did.
  Timestamp next_open;
};

enum class StepOutcome : std::uint8_t {
  applied,
  fenced,  ///< the task has moved on; nothing was written
  stale,   ///< the job's generation changed; nothing was written: read the job, decide again
};
struct StepAnswer {
  StepOutcome outcome = StepOutcome::applied;
  std::vector<Task> opened;  ///< Running for the step's worker, in stage order
  bool made_ready = false;   ///< something became Ready and was not opened
};
/// Where a job stands after a batch.
struct JobMark {
  JobId job;
  Generation generation = 0;
  JobState state = JobState::running;
};
/// What a commit may claim for its worker, as much as the steps leave slots free.
struct Refill {
  std::vector<LaneShare> shares;  ///< in order of turn; none: nothing is claimed
};
struct Committed {
  std::vector<StepAnswer> steps;  ///< one for each, in order
  std::vector<JobMark> jobs;      ///< every job the batch touched
  Claims claims;                  ///< what the refill brought
  bool is_short = false;          ///< the refill found less than it could have taken
};

struct SweepRequest {
  WorkerId self;              ///< never swept; none: sweep for nobody
  std::uint32_t max = 1'000;  ///< rows to change at most
};
struct Swept {
  std::int64_t woken = 0;        ///< retries whose time had come
  std::int64_t interrupted = 0;  ///< attempts of workers that are gone
  std::int64_t answered = 0;     ///< answers that became effective
  std::int64_t ended_jobs = 0;   ///< deadlines that passed
  bool more = false;             ///< `max` was reached: sweep again
  Timestamp next_due;  ///< the earliest retry, answer or deadline still to come; none: nothing
};

/// A file that was kept.
struct KeptFile {
  std::string sha256;
  std::int64_t size = 0;
};

/// Takes the next piece of some bytes. An error ends the reading.
using ByteSink = std::function<Status(std::string_view piece)>;
/// Hands bytes to a sink, piece by piece and in order. It starts again with the first byte each
/// time it is called, and answers the first error: its own or the sink's.
using ByteSource = std::function<Status(const ByteSink& sink)>;

class Store {
 public:
  virtual ~Store() = default;

  /// What leases, retries and deadlines are measured by: PostgreSQL's is the server's. Lives as
  /// long as the store, at least.
  [[nodiscard]] virtual const Clock& clock() const = 0;
  [[nodiscard]] Timestamp now() const { return clock().now(); }

  /// The read side of the same store.
  [[nodiscard]] virtual Records& records() = 0;

  /// Signs a worker on, with a lease of its own until `now + lease`.
  [[nodiscard]] virtual Result<WorkerId> enlist(const WorkerHello& hello) = 0;
  /// Extends the worker's lease. `not_found` when it has been swept: everything it holds is fenced.
  /// `holds_since` is recorded with it (`WorkerRecord::holds_since`); none: what was recorded
  /// stays.
  [[nodiscard]] virtual Status renew(WorkerId worker, Timestamp holds_since) = 0;
  [[nodiscard]] Status renew(WorkerId worker) { return renew(worker, no_time); }
  /// Signs a worker off. What it still holds is interrupted by the next sweep.
  [[nodiscard]] virtual Status retire(WorkerId worker) = 0;

  /// Creates a job with its submission open. Stores the workflow once per hash.
  [[nodiscard]] virtual Result<Job> create_job(const NewJob& job) = 0;
  /// Adds a chunk of items with their first Ready tasks, in one transaction.
  [[nodiscard]] virtual Result<Added> add_items(const AddItems& chunk) = 0;

  /// Both in one transaction; `items.job` is not read. With a known `job.key` nothing is added and
  /// the job of the first submission is answered.
  [[nodiscard]] virtual Result<Submitted> submit(const NewJob& job, const AddItems& items) = 0;

  /// The lanes that have Ready tasks, in lane order.
  [[nodiscard]] virtual Result<std::vector<LaneHead>> ready_lanes() = 0;
  /// Opens attempts: worker, version and attempt number in one write each. Two workers never hold
  /// the same task. Job limits, pools and budgets are checked here.
  [[nodiscard]] virtual Result<Claims> claim(const ClaimRequest& request) = 0;

  /// Writes the steps and the batch's number as one transaction, and answers for each step. Sent
  /// again it is `unavailable`. Then as on any error `last_batch` tells whether it was written.
  ///
  /// Where steps leave slots of the worker free, the same transaction claims for them what the
  /// refill says, as `claim` would: a worker with few slots need not wait for the disk twice.
  [[nodiscard]] virtual Result<Committed> commit(WorkerId worker, BatchNumber batch,
                                                 std::span<const Step> steps,
                                                 const Refill& refill) = 0;
  [[nodiscard]] Result<Committed> commit(WorkerId worker, BatchNumber batch,
                                         std::span<const Step> steps) {
    return commit(worker, batch, steps, {});
  }

  /// Wakes due retries, makes due answers effective, ends jobs past their deadline and interrupts
  /// the attempts of workers that are gone. A compare-and-set: anyone may call it, at any time.
  [[nodiscard]] virtual Result<Swept> sweep(const SweepRequest& request) = 0;

  /// Carries out an operator's or reviewer's act and returns the job as it is then.
  [[nodiscard]] virtual Result<Job> act(const Act& act) = 0;

  /// One transaction of a job that comes from another store.
  [[nodiscard]] virtual Result<Arriving> receive(const Arrival& arrival) = 0;

  /// Rises when the store has come back without commits that it had acknowledged to this process,
  /// as after a failover to an asynchronous standby. The first write that meets such a store is
  /// answered `unavailable`, and nothing of it is carried out.
  [[nodiscard]] virtual std::uint64_t setbacks() const = 0;

  /// Changes whenever anybody has committed something: cheap, for polling.
  [[nodiscard]] virtual std::uint64_t change_mark() = 0;

  /// Keeps a payload over the inline limit as a content-addressed file, durable when this returns.
  /// Answers its sha256 in hex.
  [[nodiscard]] virtual Result<std::string> keep_payload(std::string_view bytes) = 0;
  /// The same for bytes of any number, copied piece by piece. Where the source answers an error,
  /// that is the answer, and nothing is kept. A store may read the source twice.
  [[nodiscard]] virtual Result<KeptFile> keep_stream(const ByteSource& source) = 0;
  /// The same for a file. `invalid` where there is none, or it is not a regular file.
  [[nodiscard]] Result<KeptFile> keep_file(const std::filesystem::path& path);
};

/// The reference implementation: all in memory, written to be read. `clock` must outlive it.
[[nodiscard]] std::shared_ptr<Store> open_memory_store(const Clock& clock);

}  // namespace pawl
