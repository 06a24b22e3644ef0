#pragma once

/// One execution of a task, and the decision it led to. While an attempt is open it is part of the
/// task row. This record is written once, when the attempt closes, and never changes.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/outcome.hpp"
#include "pawl/core/task.hpp"

namespace pawl {

enum class DecisionKind : std::uint8_t {
  complete = 1,
  retry = 2,
  review = 3,
  fail = 4,
  skip = 5,
  expand = 6,
  cancel = 7,
};

/// The rule that made a decision; `explain` puts each into words. Stored: never renumber.
enum class Rule : std::uint8_t {
  succeeded_without_gate = 1,
  accepted_by_gate = 2,
  review_always = 3,
  gate_uncertain = 4,
  uncertain_taken_as_accepted = 5,
  stage_asked_for_review = 6,
  stage_blocked = 7,
  stage_skipped = 8,
  stage_expanded = 9,
  retry_after_failure = 10,
  refine_after_rejection = 11,
  rate_limit_hint = 12,
  interrupted_again = 13,
  handed_back = 14,  ///< a graceful stop gave the attempt back
  final_error = 15,
  exhausted_fails = 16,
  exhausted_escalates = 17,
  rate_limit_waits_exhausted = 18,
  interruptions_exhausted = 19,
  cancelled = 20,
  children_ended = 21,
  children_failed = 22,
  custom_decider = 23,
  approved = 24,
  approved_with_edits = 25,
  changes_requested = 26,
  rejected_by_person = 27,
  rerun_requested = 28,
  superseded = 29,
  imported = 30,
  discarded = 31,
  retry_hint = 32,  ///< a failure that counts, with a hint longer than the backoff
};

/// What happens next and why.
struct Decision {
  DecisionKind kind = DecisionKind::complete;
  Rule rule = Rule::succeeded_without_gate;
  Timestamp next_run_at;            ///< for retry; the time of the decision if there is no delay
  Cause next_cause = Cause::first;  ///< for retry
  ReviewReason review_reason = ReviewReason::policy;  ///< for review
  FailCause fail_cause = FailCause::final_error;      ///< for fail
  CancelCause cancel_cause = CancelCause::requested;  ///< for cancel
  bool new_round = false;  ///< new work is needed: the idempotency key changes
  Counts counts;           ///< of the task after this decision
  std::string reason;      ///< the text of a custom decider
  friend bool operator==(const Decision&, const Decision&) = default;
};

/// A closed attempt.
struct Attempt {
  TaskId task;
  AttemptNumber number = 0;
  std::uint32_t epoch = 1;
  std::uint32_t round = 1;
  Cause cause = Cause::first;
  WorkerId worker;
  bool ran = true;  ///< false: opened, but never handed to a thread or process
  Timestamp opened_at;
  Timestamp started_at;
  Timestamp ended_at;
  AttemptResult result = AttemptResult::success;
  std::optional<StageError> error;
  std::optional<Verdict> verdict;       ///< only if a gate judged the output
  std::string verdict_reason;           ///< of an uncertain verdict
  std::optional<Feedback> feedback;     ///< for the next attempt
  std::vector<Assessment> assessments;  ///< of each gate that judged the output, in order
  std::string summary;
  Json output;  ///< inline, or {"$ref":"sha256:…","size":n}
  std::vector<ArtifactRecord> artifacts;
  std::vector<Json> alternatives;  ///< what else the stage considered
  Json action;  ///< what was run, such as {"run":["pandoc","a.md"]}; null: the stage's handler
  Usage usage;
  std::string decider;   ///< empty: the default decider
  Counts counts_before;  ///< together with the rest of this record: every input of the decision
  std::optional<std::uint32_t> attempts_cap;  ///< the job's max_attempts_per_task at that time
  std::optional<CancelCause> cancelled_by;    ///< a cancel that was in force at that time
  bool graceful = false;                      ///< interrupted by a graceful stop
  Decision decision;
  friend bool operator==(const Attempt&, const Attempt&) = default;

  [[nodiscard]] AttemptId id() const { return {task, number}; }
  /// True if it failed, timed out or was rejected: it counts in a dead letter's failure_count.
  [[nodiscard]] bool is_failure() const;
};

}  // namespace pawl
