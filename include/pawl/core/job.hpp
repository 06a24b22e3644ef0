#pragma once

/// A job: one submission of a workflow over any number of items. Its state follows from its row and
/// its counters, which are updated in the same transaction as every change. So reading the state is
/// O(1) and always exact.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/event.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/policy.hpp"
#include "pawl/core/task.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

enum class JobState : std::uint8_t {
  running = 1,
  paused = 2,
  completed = 3,
  failed = 4,
  cancelled = 5
};

enum class PauseCause : std::uint8_t {
  none = 0,
  requested = 1,
  budget = 2,
  deadline = 3,
  no_progress = 4
};

/// Whether the work of a job may run here and be adopted by other jobs (I18).
enum class Trust : std::uint8_t {
  own = 0,        ///< submitted to this store, or imported by a version without trust checks
  untrusted = 1,  ///< imported, and not accepted yet
  accepted = 2,   ///< imported, then accepted by an operator or by the key that signed the export
  abandoned = 3,  ///< an import that was abandoned; none of its records are left
};
/// Whether a job with this trust may run, and be adopted from by other jobs.
[[nodiscard]] constexpr bool is_trusted(Trust trust) {
  return trust == Trust::own || trust == Trust::accepted;
}

/// The limit that stopped an attempt from being opened.
enum class BudgetKind : std::uint8_t {
  none = 0,
  total_attempts = 1,
  deadline = 2,
  no_progress = 3,
  cost = 4,
  tokens = 5,
};

/// How many tasks of a stage (or children) are in each stored state.
struct StateCounts {
  std::array<std::int64_t, state_kinds> by_kind{};
  [[nodiscard]] std::int64_t operator[](StateKind kind) const {
    return by_kind[static_cast<std::size_t>(kind)];
  }
  std::int64_t& operator[](StateKind kind) { return by_kind[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::int64_t ended() const;
  friend bool operator==(const StateCounts&, const StateCounts&) = default;
};

struct ItemCounts {
  std::int64_t total = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t rejected = 0;
  std::int64_t adopted = 0;           ///< of the succeeded: adopted whole from an earlier job
  std::int64_t adopted_rejected = 0;  ///< of the rejected: rejected in an earlier job already
  /// Counts an item that enters this state; with -1, an item that leaves it.
  void count(ItemState state, std::int64_t change = 1);
  /// Counts an item that an earlier job has finished, besides its state.
  void count_adopted(ItemState state, std::int64_t change = 1);
  [[nodiscard]] std::int64_t settled() const { return succeeded + failed + cancelled + rejected; }
  [[nodiscard]] std::int64_t active() const { return total - settled(); }
  friend bool operator==(const ItemCounts&, const ItemCounts&) = default;
};

struct Job {
  JobId id;
  std::string workflow_name;
  std::string workflow_hash;
  std::string key;  ///< makes submission idempotent; empty: none
  Json params;
  Json labels;  ///< free for the submitter's own use
  Budget budget;
  Tolerance tolerate_failures;
  std::uint32_t parallel = 0;  ///< the most open attempts of this job; 0: no limit of its own
  std::int32_t priority = 0;   ///< higher first
  Timestamp submitted_at;
  Timestamp deadline_at;  ///< absolute; none when not set
  Timestamp ended_at;
  bool submission_open = true;
  Generation generation = 1;
  PauseCause paused = PauseCause::none;
  std::optional<CancelCause> cancelled;  ///< also deadline, budget, tolerance, stop_job
  Trust trust = Trust::own;
  std::string trusted_by;           ///< the person who accepted it, or the key that signed it
  Timestamp trusted_at;             ///< when it was accepted
  std::string submitted_by;         ///< empty: not recorded
  std::int64_t reduce_ordinal = 0;  ///< the ordinal of its job-wide tasks; 0: it has none
  ItemCounts items;
  std::int64_t attempts_opened = 0;
  std::int64_t attempts_open = 0;
  std::int64_t dead_letters = 0;  ///< Failed tasks neither retried nor discarded
  std::int64_t failed_tasks = 0;  ///< Failed tasks, discarded ones included
  std::int64_t decisions_since_progress = 0;
  Timestamp last_progress_at;
  Usage used;
  std::vector<StageIndex> paused_stages;  ///< in order; nothing of them is opened
  /// The budgets that were announced as nearly used up, one bit for each `BudgetKind`.
  std::uint32_t near_budgets = 0;
  std::vector<StateCounts> stages;    ///< item tasks and job-wide tasks, by StageIndex
  std::vector<StateCounts> children;  ///< fan-out children, by StageIndex
  friend bool operator==(const Job&, const Job&) = default;

  [[nodiscard]] bool has_ended() const { return ended_at != no_time; }
  [[nodiscard]] bool is_paused(StageIndex stage) const {
    return std::ranges::find(paused_stages, stage) != paused_stages.end();
  }
};

/// Running or Paused while anything can still run; at the end Cancelled if it was cancelled, else
/// Failed if a task Failed, a tolerance was breached or a budget ended it, else Completed.
[[nodiscard]] JobState state_of(const Job& job);
/// Whether the job was ended by its tolerance, its deadline or its budget, and so can be revived.
[[nodiscard]] bool is_ended_by_limit(const Job& job);
/// True when only open reviews are left to do.
[[nodiscard]] bool waits_for_people(const Job& job);
/// How many tasks of a stage are displayed in each state, including states that have no row: a task
/// without a row is Waiting, and every unfinished task of a cancelled job counts as Cancelled.
[[nodiscard]] StateCounts shown_counts(const Job& job, const Workflow& workflow, StageIndex stage);

/// Whether this job may open an attempt now, and if not, which budget prevents it. Parallelism is
/// not a budget: a job at its limit waits.
struct MayOpen {
  bool yes = false;
  BudgetKind budget = BudgetKind::none;  ///< set when a budget is used up
};
[[nodiscard]] MayOpen may_open(const Job& job, Timestamp now);

/// Applies a used-up budget: pauses the job, or ends it with the remaining tasks Cancelled. Appends
/// events.
void exhaust(Job& job, BudgetKind budget, Timestamp now, std::vector<Event>& events);

/// Announces each budget of which four fifths are used, once, and forgets those that were raised.
void announce_near_budgets(Job& job, Timestamp now, std::vector<Event>& events);

/// Brings a job up to date after its counters changed. A breached tolerance ends the job, an ended
/// job gets its `ended_at`, a reopened job loses it. Appends events. Returns the job-wide stages
/// that have become ready, whose rows must be released.
[[nodiscard]] std::vector<StageIndex> advance(Job& job, const Workflow& workflow, Timestamp now,
                                              std::vector<Event>& events);

}  // namespace pawl
