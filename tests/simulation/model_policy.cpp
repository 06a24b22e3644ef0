/// The policies: the effect of one attempt's end on its task.

#include <algorithm>
#include <cmath>

#include "simulation/model.hpp"

namespace pawl::simulation {

namespace {

/// The thirty cells, for an attempt after which no retry is left.
TaskState exhausted(const StageDefinition& stage, FailCause cause) {
  const bool asks = stage.retry.on_exhausted == OnExhausted::escalate ||
                    stage.review == ReviewPolicy::always ||
                    stage.review == ReviewPolicy::on_escalation ||
                    stage.review == ReviewPolicy::on_escalation_or_uncertain;
  if (asks) return AwaitingReview{ReviewReason::exhausted};
  return Failed{.cause = cause};
}

bool is_used_up(const RetryPolicy& policy, const Counts& counts,
                std::optional<std::uint32_t> attempts_cap) {
  if (attempts_cap && counts.attempts >= *attempts_cap) return true;
  if (!policy.retry_attempts && !policy.refine_attempts) {
    return counts.failures + counts.rejections >= policy.max_attempts;
  }
  return counts.failures >= policy.retry_attempts.value_or(1) ||
         counts.rejections >= policy.refine_attempts.value_or(1);
}

Duration backoff(const Backoff& backoff, std::uint32_t failures) {
  const double longest = 100.0 * 365 * 24 * 3'600 * 1e6;
  double delay = static_cast<double>(backoff.initial.count());
  for (std::uint32_t i = 1; i < failures && delay < longest; ++i) delay *= backoff.multiplier;
  if (backoff.max > Duration::zero()) {
    delay = std::min(delay, static_cast<double>(backoff.max.count()));
  }
  return Duration{static_cast<Duration::rep>(std::llround(std::min(delay, longest)))};
}

TaskState again(Timestamp now, Duration delay) {
  if (delay <= Duration::zero()) return Ready{};
  return RetryScheduled{now + delay};
}

}  // namespace

Ending ending_of(const StageDefinition& of_stage, const ModelTask& task, const Observation& seen,
                 std::optional<CancelCause> cancelled, std::optional<std::uint32_t> attempts_cap) {
  StageDefinition stage = of_stage;
  // The gates and an `always` review of a fan-out apply to the join.
  if (task.parent && stage.review == ReviewPolicy::always) stage.review = ReviewPolicy::never;

  Ending end{.state = {}, .counts = task.counts, .cause = task.cause};
  end.counts.rate_limit_waits = 0;
  end.counts.interruptions = 0;
  // A failed join is joined again; one that wants new work is a new expansion.
  const auto because = [&](Cause cause) {
    end.cause = task.cause == Cause::join && !end.new_round ? Cause::join : cause;
  };
  const auto after_failure = [&](Cause cause) {
    ++end.counts.failures;
    if (is_used_up(stage.retry, end.counts, attempts_cap)) {
      end.state = exhausted(stage, FailCause::exhausted);
      return;
    }
    const Duration usual = backoff(stage.retry.backoff, end.counts.failures);
    const Duration hint = seen.error ? seen.error->retry_after.value_or(Duration{}) : Duration{};
    if (hint > usual && hint > stage.retry.max_retry_after) {
      end.state = exhausted(stage, FailCause::rate_limit);
      return;
    }
    const Duration delay = std::max(usual, hint);
    end.new_round = seen.result == AttemptResult::failure && seen.error &&
                    seen.error->kind == ErrorKind::protocol;
    end.state = again(seen.at, delay);
    const double longer = static_cast<double>(delay.count()) * (1.0 + stage.retry.backoff.jitter);
    end.not_after = seen.at + Duration{static_cast<Duration::rep>(std::ceil(longer))};
    because(cause);
  };

  if (cancelled) {
    end.state = Cancelled{*cancelled};
    return end;
  }
  switch (seen.result) {
    case AttemptResult::success:
      if (seen.verdict == Verdict::uncertain) {
        end.state = AwaitingReview{ReviewReason::uncertain};
      } else if (seen.verdict == Verdict::rejected) {
        ++end.counts.rejections;
        if (is_used_up(stage.retry, end.counts, attempts_cap)) {
          end.state = exhausted(stage, FailCause::exhausted);
        } else {
          end.new_round = true;
          end.state = again(seen.at, stage.retry.refine_delay);
          end.not_after = seen.at + stage.retry.refine_delay;
          because(Cause::gate_feedback);
        }
      } else if (stage.review == ReviewPolicy::always) {
        end.state = AwaitingReview{ReviewReason::policy};
      } else {
        end.state = Succeeded{.attempt = task.attempts, .edited_by = {}};
      }
      return end;
    case AttemptResult::failure: {
      const ErrorClass what = seen.error ? seen.error->error_class : ErrorClass::retryable;
      if (what == ErrorClass::final) {
        end.state = Failed{.cause = FailCause::final_error};
      } else if (what == ErrorClass::blocked) {
        end.state = AwaitingReview{ReviewReason::blocked};
      } else if (what == ErrorClass::rate_limited && seen.error->retry_after) {
        const Duration hint = *seen.error->retry_after;
        end.counts.rate_limit_waits = task.counts.rate_limit_waits + 1;
        --end.counts.attempts;
        if (end.counts.rate_limit_waits > stage.retry.max_rate_limit_waits ||
            hint > stage.retry.max_retry_after) {
          end.state = exhausted(stage, FailCause::rate_limit);
        } else {
          end.state = again(seen.at, hint);
          end.not_after = seen.at + hint;
          because(Cause::rate_limited);
        }
      } else {
        const bool limited = what == ErrorClass::rate_limited;
        after_failure(limited ? Cause::rate_limited : Cause::error_retry);
      }
      return end;
    }
    case AttemptResult::timed_out:
      after_failure(Cause::error_retry);
      return end;
    case AttemptResult::blocked:
      end.state = AwaitingReview{ReviewReason::blocked};
      return end;
    case AttemptResult::skipped:
      end.state = Skipped{SkipReason::by_choice};
      return end;
    case AttemptResult::needs_review:
      end.state = AwaitingReview{ReviewReason::requested};
      return end;
    case AttemptResult::expanded: {
      const auto children = static_cast<std::int64_t>(seen.children.size());
      end.state = Expanded{.children = children, .open = children, .failed = 0};
      return end;
    }
    case AttemptResult::cancelled:
      end.state = Cancelled{CancelCause::requested};
      return end;
    case AttemptResult::interrupted: {
      const bool counts_against_it = seen.ran && !seen.graceful;
      --end.counts.attempts;
      end.counts.interruptions = task.counts.interruptions + (counts_against_it ? 1 : 0);
      end.counts.rate_limit_waits = task.counts.rate_limit_waits;
      const std::uint32_t most = stage.retry.max_interruptions;
      if (counts_against_it && most > 0 && end.counts.interruptions >= most) {
        end.state = exhausted(stage, FailCause::interruptions);
      } else {
        end.state = Ready{};
        because(Cause::interrupted);
      }
      return end;
    }
  }
  return end;
}

}  // namespace pawl::simulation
