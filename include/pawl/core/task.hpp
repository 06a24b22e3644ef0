#pragma once

/// A task: one stage for one item, one fan-out child of such a task, or a job-wide stage of a job.
/// The unit of scheduling.
///
/// Each state carries exactly the facts that exist then, and its comment says what ends it. A row
/// exists from the moment a task's first need is satisfied, or the task is skipped because a need
/// failed. Before that the task is Waiting and nothing is stored.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "pawl/core/ids.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

// Stored numbers: never change them; add at the end.

enum class StateKind : std::uint8_t {
  waiting = 0,
  ready = 1,
  running = 2,
  retry_scheduled = 3,
  awaiting_review = 4,
  expanded = 5,
  succeeded = 6,
  skipped = 7,
  failed = 8,
  cancelled = 9,
};
inline constexpr std::size_t state_kinds = 10;

enum class ReviewReason : std::uint8_t {
  policy = 1,
  uncertain = 2,
  blocked = 3,
  requested = 4,
  exhausted = 5
};
enum class SkipReason : std::uint8_t { by_choice = 1, upstream_failed = 2 };
enum class FailCause : std::uint8_t {
  final_error = 1,
  exhausted = 2,
  rejected_by_review = 3,
  tolerance = 4,    ///< too many children failed
  marked_dead = 5,  ///< a custom decider decided so
  rate_limit = 6,   ///< max_rate_limit_waits or max_retry_after
  interruptions = 7,
};
enum class CancelCause : std::uint8_t {
  requested = 1,
  deadline = 2,
  budget = 3,
  tolerance = 4,
  stop_job = 5,
  superseded = 6,  ///< a child of an expansion that is no longer current
  rejected = 7,    ///< a reviewer rejected the item, and its stage says `rejected: end_item`
};

/// Ends when the last need is satisfied. `satisfied` has one bit per need.
struct Waiting {
  std::uint64_t satisfied = 0;
  friend bool operator==(const Waiting&, const Waiting&) = default;
};
/// Ends when a worker claims the task.
struct Ready {
  friend bool operator==(const Ready&, const Ready&) = default;
};
/// Ends when the worker closes the attempt, or a sweep finds the worker gone.
struct Running {
  WorkerId worker;
  Timestamp opened_at;
  friend bool operator==(const Running&, const Running&) = default;
};
/// Ends when `next_run_at` has passed.
struct RetryScheduled {
  Timestamp next_run_at;
  friend bool operator==(const RetryScheduled&, const RetryScheduled&) = default;
};
/// Ends when a reviewer answers.
struct AwaitingReview {
  ReviewReason reason = ReviewReason::policy;
  friend bool operator==(const AwaitingReview&, const AwaitingReview&) = default;
};
/// Ends when the last child has ended, or too many have failed.
struct Expanded {
  std::int64_t children = 0;
  std::int64_t open = 0;
  std::int64_t failed = 0;
  friend bool operator==(const Expanded&, const Expanded&) = default;
};
/// Final. The output is that of `attempt`, or the edits of `edited_by` if a reviewer made any.
struct Succeeded {
  AttemptNumber attempt = 0;
  ReviewId edited_by;
  friend bool operator==(const Succeeded&, const Succeeded&) = default;
};
/// Final. Skipped by choice satisfies a need; skipped after an upstream failure never does.
struct Skipped {
  SkipReason reason = SkipReason::by_choice;
  friend bool operator==(const Skipped&, const Skipped&) = default;
};
/// Final until someone requests a retry. A dead letter unless discarded.
struct Failed {
  FailCause cause = FailCause::final_error;
  bool discarded = false;
  friend bool operator==(const Failed&, const Failed&) = default;
};
/// Final.
struct Cancelled {
  CancelCause cause = CancelCause::requested;
  friend bool operator==(const Cancelled&, const Cancelled&) = default;
};

using TaskState = std::variant<Waiting, Ready, Running, RetryScheduled, AwaitingReview, Expanded,
                               Succeeded, Skipped, Failed, Cancelled>;

[[nodiscard]] constexpr StateKind kind_of(const TaskState& state) {
  return static_cast<StateKind>(state.index());
}
[[nodiscard]] constexpr bool has_ended(StateKind kind) { return kind >= StateKind::succeeded; }
[[nodiscard]] constexpr bool has_ended(const TaskState& state) { return has_ended(kind_of(state)); }

/// What a task has used up in its epoch.
struct Counts {
  std::uint32_t failures = 0;
  std::uint32_t rejections = 0;
  std::uint32_t rate_limit_waits = 0;  ///< with a hint, in a row
  std::uint32_t interruptions = 0;     ///< in a row, without a graceful stop
  std::uint32_t attempts = 0;          ///< in this epoch, without those that do not count
  friend bool operator==(const Counts&, const Counts&) = default;
};

/// What only a fan-out child has.
struct ChildPart {
  TaskId parent;
  std::uint32_t expansion = 0;  ///< which expansion of the parent it belongs to
  std::string key;              ///< unique within the expansion
  Json data;
  friend bool operator==(const ChildPart&, const ChildPart&) = default;
};

struct Task {
  TaskId id;
  JobId job;
  ItemId item;  ///< the item it works on; none for a job-wide task
  LaneId lane;
  Version version = 0;  ///< the fencing token
  std::uint32_t epoch = 1;
  std::uint32_t round = 1;  ///< grows when new work is needed; part of the idempotency key
  std::uint32_t expansion = 0;
  AttemptNumber attempts = 0;  ///< the number of the newest attempt, open or closed
  Counts counts;
  Cause cause = Cause::first;  ///< of the open attempt, or of the next one
  TaskState state;
  std::optional<Feedback> feedback;  ///< for the open attempt, or the next one
  std::optional<ChildPart> child;

  [[nodiscard]] StageIndex stage() const { return stage_of(id); }
  [[nodiscard]] StateKind kind() const { return kind_of(state); }
  friend bool operator==(const Task&, const Task&) = default;
};

/// Whether the transition table (core/transitions.cpp) allows this move. Checked for every step, in
/// every build. `waiting` also stands for "no row yet".
[[nodiscard]] bool may_move(StateKind from, StateKind to);

/// job/item/stage/epoch.round: the same after a crash, different when new work is needed.
[[nodiscard]] std::string idempotency_key(const Task& task, std::string_view item_key,
                                          std::string_view stage_name);

}  // namespace pawl
