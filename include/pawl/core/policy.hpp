#pragma once

/// The policies of a stage and of a job: plain values, validated when the workflow is built.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/time.hpp"

namespace pawl {

/// Delays between attempts after failures: min(max, initial · multiplier^(failures − 1)).
struct Backoff {
  Duration initial{0};
  Duration max{0};  ///< 0: no cap
  double multiplier = 2.0;
  /// 0 … 1: lengthens a delay by up to this share, never shortens it; seeded by (task, attempt).
  double jitter = 0.0;
  friend bool operator==(const Backoff&, const Backoff&) = default;
};

enum class OnExhausted : std::uint8_t { fail = 1, escalate = 2 };

/// How often a stage is tried, and how long one attempt may take.
///
/// Use either one count for both loops (`max_attempts`, the first attempt included) or separate
/// caps (`retry_attempts` for failures, `refine_attempts` for rejections by a gate). Interrupted
/// attempts and rate-limit waits with a hint do not count.
struct RetryPolicy {
  std::uint32_t max_attempts = 1;
  std::optional<std::uint32_t> retry_attempts;  ///< with refine_attempts: separate caps
  std::optional<std::uint32_t> refine_attempts;
  Backoff backoff;
  Duration refine_delay{0};  ///< after a rejection; default: no delay
  OnExhausted on_exhausted = OnExhausted::fail;

  /// One deadline for the execution and its gates, from the moment the code starts. 0: none.
  Duration attempt_timeout{0};
  Duration gate_timeout{0};  ///< for one gate, within the attempt's timeout. 0: none

  std::uint32_t max_rate_limit_waits = 100;           ///< in a row, with a hint
  Duration max_retry_after = std::chrono::hours(24);  ///< a longer hint counts as exhausted
  std::uint32_t max_interruptions = 20;  ///< in a row, without a graceful stop; 0: no limit

  [[nodiscard]] bool has_separate_caps() const { return retry_attempts || refine_attempts; }
  [[nodiscard]] std::uint32_t failures_max() const;
  [[nodiscard]] std::uint32_t rejections_max() const;
  /// The number shown beside an attempt: "attempt 2 of 3".
  [[nodiscard]] std::uint32_t attempts_max() const;
  [[nodiscard]] bool allows_retry() const { return attempts_max() > 1; }
  friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;

  static RetryPolicy none();     ///< one attempt: the default
  static RetryPolicy service();  ///< 8 attempts, 60 s doubling, capped at an hour
  static RetryPolicy task();     ///< 5 attempts, 2 s doubling
  static RetryPolicy batch();    ///< 3 attempts, 1 s doubling, capped at 30 s
};

/// When a person decides. A timeout never approves anything.
enum class ReviewPolicy : std::uint8_t {
  never = 1,
  always = 2,
  on_escalation = 3,
  on_uncertain = 4,
  on_escalation_or_uncertain = 5,
};
[[nodiscard]] bool reviews_on_escalation(ReviewPolicy policy);
[[nodiscard]] bool reviews_on_uncertain(ReviewPolicy policy);
[[nodiscard]] bool always_reviews(ReviewPolicy policy);

/// What a Failed task means for the rest of the job. The task is a dead letter in every case.
enum class OnFailure : std::uint8_t {
  dead_letter = 1,  ///< dependents are skipped
  proceed = 2,      ///< "continue": dependents run as if the task had been skipped by choice
  stop_job = 3,
};

/// What a reviewer's rejection means. A rejected child of a fan-out always fails.
enum class OnRejected : std::uint8_t {
  fail = 1,      ///< the task fails and is a dead letter
  end_item = 2,  ///< an ordinary outcome: the item ends as rejected, the job does not fail for it
};

/// What happens when a review has not been answered by its due time. Nothing is ever approved.
enum class OnOverdue : std::uint8_t { remind = 1, escalate = 2, reject = 3 };

/// Who answers the reviews of a stage, and by when.
struct ReviewRules {
  std::vector<std::string> assign;  ///< names and "group:NAME"; empty: everybody
  std::uint32_t approvals = 1;      ///< so many different people must approve the same content
  /// If false, at least one approval must come from somebody who neither submitted the job nor made
  /// the edits that are approved. Of a job that names no submitter anybody has other eyes.
  bool self_approval = true;
  Duration due{0};  ///< after the review has opened; 0: never
  OnOverdue overdue = OnOverdue::remind;
  std::vector<std::string> escalate_to;  ///< assigned as well when it is overdue
  bool bulk = true;                      ///< whether programs offer to answer several at once
  std::string show_main;                 ///< the field that is shown first: "out.markdown"
  std::vector<std::string> show_beside;  ///< the fields beside it
  std::vector<std::string> reasons;      ///< suggested notes
  friend bool operator==(const ReviewRules&, const ReviewRules&) = default;
};

/// What an uncertain verdict means. A person is asked unless the gate's own setting says otherwise.
enum class OnUncertain : std::uint8_t { review = 1, accept = 2, reject = 3 };

/// How many dead letters a job or an expansion tolerates before the rest is cancelled.
struct Tolerance {
  std::optional<std::int64_t> count;
  std::optional<double> percent;  ///< 0 … 100; judged once submission is closed

  [[nodiscard]] bool is_set() const { return count || percent; }
  /// True if more have failed than the tolerance allows.
  [[nodiscard]] bool is_exceeded(std::int64_t failed, std::int64_t total,
                                 bool total_is_final) const;
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};

enum class OnBudgetEnd : std::uint8_t { pause = 1, fail = 2 };

/// Limits of a job, checked whenever an attempt is opened.
struct Budget {
  std::optional<std::int64_t> max_total_attempts;      ///< every opened attempt counts
  std::optional<std::uint32_t> max_attempts_per_task;  ///< per epoch; also caps the stage's policy
  std::optional<Duration> deadline;                    ///< from submission
  std::optional<Duration> no_progress;  ///< since the last task ended, while work is due
  std::optional<std::int64_t> no_progress_decisions;  ///< decisions in a row that end no task
  std::optional<std::int64_t> cost_microusd;
  std::optional<std::int64_t> tokens;
  OnBudgetEnd exhausted = OnBudgetEnd::pause;
  friend bool operator==(const Budget&, const Budget&) = default;
};

/// At most `count` attempts are opened within any period as long as `per`. They may come in a
/// burst: a limit of 60 per minute allows sixty at once, then none for a minute.
struct Rate {
  std::uint32_t count = 0;  ///< 0: no limit
  Duration per{0};
  [[nodiscard]] bool is_set() const { return count > 0; }
  friend bool operator==(const Rate&, const Rate&) = default;
};
/// The earliest time, `now` or later, at which another attempt may be opened. `count_th_newest` is
/// when the `rate.count`-th newest attempt was opened; none: fewer have been opened.
[[nodiscard]] Timestamp next_opening(const Rate& rate, Timestamp count_th_newest, Timestamp now);

/// How many attempts of a stage may run at once, and how often one may start. The limits hold for
/// all workers that share the store.
struct Limits {
  std::string pool;            ///< stages that name the same pool share its limits
  std::uint32_t parallel = 0;  ///< 0: no limit
  Rate rate;
  friend bool operator==(const Limits&, const Limits&) = default;
};

}  // namespace pawl
