#pragma once

/// The write side of a store, which keeps jobs, items, tasks, attempts, reviews and events.
///
/// A store remembers; it never decides. It writes what the core decided, unchanged, in one
/// transaction, all of it or none of it. If rows must be read to decide (an expired lease, a
/// reviewer's answer, a rerun), the store calls the core's pure functions inside its transaction.
///
/// Threads: every function may be called from any thread at the same time.
/// Implementations: `open_memory_store()` (the reference), `open_sqlite_store()` (the default),
/// `open_postgres_store()` (many machines).
/// Any other implementation must pass the suite in tests/contract.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/step.hpp"
#include "pawl/store/acts.hpp"
#include "pawl/store/clock.hpp"
#include "pawl/store/workers.hpp"

namespace pawl {

class People;
class Receiver;
class Records;

/// A job to be submitted.
struct NewJob {
  Workflow workflow;
  std::string key;  ///< if not empty, a second submission with the same key returns the first job
  Json params;
  Json labels;
  Budget budget;
  Tolerance tolerate_failures;
  std::uint32_t parallel = 0;
  std::int32_t priority = 0;
  Actor by = {};  ///< who submits it
};

/// What an older system already recorded about an item (legacy import).
struct ItemHistory {
  std::vector<Attempt> attempts;  ///< of the first stage; numbered 1 … n
  bool succeeded = false;         ///< the output of the newest attempt stands
  bool dead = false;              ///< a dead letter; otherwise the next attempt is due
};

struct NewItem {
  std::string key;  ///< not empty; duplicate keys in one pass become key#2, key#3
  std::string category;
  Json data;
  std::string data_sha256;  ///< compared for adoption; empty: never adopts
  std::optional<ItemHistory> history;
};

struct AddItems {
  JobId job;
  std::span<const NewItem> items;
  /// Adopts an item whole if it Succeeded in an earlier job with the same workflow hash and params,
  /// under the same key and with the same data digest.
  bool adopt = false;
  bool close = false;  ///< the source is exhausted: closes the submission with this chunk
  /// Opens up to `open_max` first attempts at once for this worker, unless a limit prevents it, so
  /// an idle engine needs no second transaction.
  WorkerId open_for;
  std::uint32_t open_max = 0;
};

/// A task with the data of its item that its code needs.
struct Claimed {
  Task task;
  std::string item_key;
  std::string category;
  Json data;  ///< of the item; a child's own data is in `task.child`
};
struct Added {
  std::int64_t added = 0;
  std::int64_t present = 0;  ///< already added by an earlier pass over the same source
  std::int64_t adopted = 0;
  std::vector<Claimed> opened;  ///< Running for `open_for`
};
struct Submitted {
  Job job;
  Added items;
  bool was_known = false;  ///< a job of this workflow with this key exists: nothing was added
};

/// A lane with Ready tasks, and the age of its oldest task.
struct LaneHead {
  LaneId lane;
  JobId job;
  StageIndex stage{};
  std::string category;
  std::int32_t priority = 0;
  std::int64_t oldest = 0;  ///< the ordinal of the oldest item waiting in the lane
};

/// Take up to `max` Ready tasks of these lanes (of one job), oldest item first. A lane whose pool
/// is full does not block the others.
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
  std::vector<LaneShare> shares;   ///< served in this order
  std::uint32_t max = UINT32_MAX;  ///< for all shares together
};
struct Claims {
  std::vector<Claimed> opened;       ///< Running, attempt recorded, held by the worker
  std::vector<Claimed> conditional;  ///< still Ready: their `when` must be evaluated first
  /// Jobs that refused (paused, cancelled, budget used up), in their current state.
  std::vector<Job> refused;
  /// Pools whose rate limit was reached, and when each allows another attempt.
  struct HeldRate {
    std::string pool;
    Timestamp until;
  };
  std::vector<HeldRate> held_rates;
  /// The earliest time at which one of these rate limits allows another attempt; none: no limit was
  /// reached.
  Timestamp next_open;
};

enum class StepOutcome : std::uint8_t {
  applied,
  fenced,  ///< the task has changed; nothing was written
  stale,   ///< the job's generation changed; nothing was written: read the job and decide again
};
struct StepAnswer {
  StepOutcome outcome = StepOutcome::applied;
  std::vector<Task> opened;  ///< Running for the step's worker, in stage order
  bool made_ready = false;   ///< a task became Ready and was not opened
};
/// The state of a job after a batch.
struct JobMark {
  JobId job;
  Generation generation = 0;
  JobState state = JobState::running;
};
/// What a commit may claim for its worker, up to the number of slots that its steps free.
struct Refill {
  std::vector<LaneShare> shares;  ///< served in this order; empty: nothing is claimed
};
struct Committed {
  std::vector<StepAnswer> steps;  ///< one per step, in order
  std::vector<JobMark> jobs;      ///< every job that the batch touched
  Claims claims;                  ///< what the refill claimed
  bool is_short = false;          ///< the refill found less than it could have taken
};

struct SweepRequest {
  WorkerId self;  ///< the worker that sweeps; never swept itself; none: the caller is not a worker
  std::uint32_t max = 1'000;  ///< the most rows to change
};
struct Swept {
  std::int64_t woken = 0;        ///< retries that became due
  std::int64_t interrupted = 0;  ///< attempts of workers that are gone
  std::int64_t answered = 0;     ///< answers that became effective
  std::int64_t noticed = 0;      ///< reviews that are due soon or overdue
  std::int64_t ended_jobs = 0;   ///< jobs whose deadline passed
  bool more = false;             ///< `max` was reached: sweep again
  /// When the next retry, answer, review or deadline is due; none: nothing is pending.
  Timestamp next_due;
};

/// A file that was stored.
struct KeptFile {
  std::string sha256;
  std::int64_t size = 0;
};

/// Receives the next piece of a byte stream. An error ends the reading.
using ByteSink = std::function<Status(std::string_view piece)>;
/// Passes bytes to a sink, piece by piece and in order. Each call starts again at the first byte.
/// Returns the first error, its own or the sink's.
using ByteSource = std::function<Status(const ByteSink& sink)>;

class Store {
 public:
  virtual ~Store() = default;

  /// The clock for leases, retries and deadlines; for PostgreSQL it is the server's. It lives at
  /// least as long as the store.
  [[nodiscard]] virtual const Clock& clock() const = 0;
  [[nodiscard]] Timestamp now() const { return clock().now(); }

  /// The read side of the same store.
  [[nodiscard]] virtual Records& records() = 0;

  /// Registers a worker, with a lease until `now + lease`.
  [[nodiscard]] virtual Result<WorkerId> enlist(const WorkerHello& hello) = 0;
  /// Extends the worker's lease. `not_found` if it has been swept: everything it holds is fenced.
  /// Also records `holds_since` (see `WorkerRecord::holds_since`); none: the recorded value stays.
  [[nodiscard]] virtual Status renew(WorkerId worker, Timestamp holds_since) = 0;
  [[nodiscard]] Status renew(WorkerId worker) { return renew(worker, no_time); }
  /// Replaces the limits that the worker reported. `not_found` if there is no such worker. A class
  /// that forwards writes to another store may leave it as it is: `refused`.
  [[nodiscard]] virtual Status note_limits(WorkerId worker, const WorkerLimits& limits);
  /// Unregisters a worker. The next sweep interrupts what it still holds.
  [[nodiscard]] virtual Status retire(WorkerId worker) = 0;

  /// Creates a job with its submission open. Stores the workflow once per hash.
  [[nodiscard]] virtual Result<Job> create_job(const NewJob& job) = 0;
  /// Adds a chunk of items with their first Ready tasks, in one transaction.
  [[nodiscard]] virtual Result<Added> add_items(const AddItems& chunk) = 0;

  /// Does both in one transaction; `items.job` is ignored. If `job.key` is known, nothing is added
  /// and the job of the first submission is returned.
  [[nodiscard]] virtual Result<Submitted> submit(const NewJob& job, const AddItems& items) = 0;

  /// The lanes that have Ready tasks, in lane order.
  [[nodiscard]] virtual Result<std::vector<LaneHead>> ready_lanes() = 0;
  /// Opens attempts: each is one write of worker, version and attempt number. Two workers never
  /// hold the same task. Checks job limits, pools and budgets.
  [[nodiscard]] virtual Result<Claims> claim(const ClaimRequest& request) = 0;

  /// Writes the steps and the batch number in one transaction, and returns an answer for each step.
  /// A batch that was already written is `unavailable`. After any error, `last_batch` shows whether
  /// the batch was written.
  ///
  /// If the steps free slots of the worker, the same transaction claims tasks for them from
  /// `refill`, as `claim` would. So a worker with few slots need not wait for the disk twice.
  [[nodiscard]] virtual Result<Committed> commit(WorkerId worker, BatchNumber batch,
                                                 std::span<const Step> steps,
                                                 const Refill& refill) = 0;
  [[nodiscard]] Result<Committed> commit(WorkerId worker, BatchNumber batch,
                                         std::span<const Step> steps) {
    return commit(worker, batch, steps, {});
  }

  /// Wakes due retries, makes due answers effective, ends jobs past their deadline and interrupts
  /// the attempts of workers that are gone. Every change is a compare-and-set, so any process may
  /// call it at any time.
  [[nodiscard]] virtual Result<Swept> sweep(const SweepRequest& request) = 0;

  /// Performs an operation of an operator or reviewer, and returns the job as it is then. Writes an
  /// entry in the audit trail in the same transaction. `forbidden` if the actor may not do this.
  [[nodiscard]] virtual Result<Job> act(const Act& act, const Actor& actor) = 0;
  /// The same for the local user under the name that the act itself gives.
  [[nodiscard]] Result<Job> act(const Act& act);
  /// The people of the store; see "pawl/store/people.hpp".
  [[nodiscard]] virtual People& people() = 0;

  /// Takes in jobs from another store; see "pawl/store/arrival.hpp".
  [[nodiscard]] virtual Receiver& receiver() = 0;

  /// Increases when the store has come back without commits that it had acknowledged to this
  /// process, for example after a failover to an asynchronous standby. The first write to such a
  /// store returns `unavailable` and has no effect.
  [[nodiscard]] virtual std::uint64_t setbacks() const = 0;

  /// Changes after every commit by any process. Cheap, for polling.
  [[nodiscard]] virtual std::uint64_t change_mark() = 0;

  /// Stores a payload over the inline limit as a content-addressed file, durable when this returns.
  /// Returns its SHA-256 in hex.
  [[nodiscard]] virtual Result<std::string> keep_payload(std::string_view bytes) = 0;
  /// The same for a stream of any length, copied piece by piece. If the source returns an error,
  /// that error is returned and nothing is stored. A store may read the source twice.
  [[nodiscard]] virtual Result<KeptFile> keep_stream(const ByteSource& source) = 0;
  /// The same for a file. `invalid` if it does not exist or is not a regular file.
  [[nodiscard]] Result<KeptFile> keep_file(const std::filesystem::path& path);
};

/// The reference implementation: in memory, and written to be easy to read. `clock` must outlive
/// it.
[[nodiscard]] std::shared_ptr<Store> open_memory_store(const Clock& clock);

}  // namespace pawl
