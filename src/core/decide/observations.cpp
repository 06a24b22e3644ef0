#include "core/decide/observations.hpp"

#include "core/decide/cells.hpp"
#include "core/decide/conclude.hpp"

namespace pawl::observed {

Decision on_success(const StageDefinition& stage, const Attempt& closed) {
  Decision decision =
      accept(stage, counts_after(closed),
             closed.verdict ? Rule::accepted_by_gate : Rule::succeeded_without_gate);
  if (decision.kind == DecisionKind::review) decision.rule = Rule::review_always;
  return decision;
}

/// The gate wants better work: retries with its feedback, at once unless the policy sets a delay.
Decision on_rejection(const StageDefinition& stage, const Attempt& closed) {
  Counts counts = counts_after(closed);
  ++counts.rejections;
  if (is_exhausted(stage.retry, counts, closed.attempts_cap)) return give_up(stage, counts);
  return try_again(closed, counts, stage.retry.refine_delay, Cause::gate_feedback,
                   Rule::refine_after_rejection, wants_new_work(closed));
}

/// A reviewer decides, whatever the policy and the budget: no machine knows better than
/// "uncertain".
Decision on_uncertain(const StageDefinition& stage, const Attempt& closed) {
  const Cell& cell = cell_for(Ending::uncertain, stage.retry.on_exhausted, stage.review);
  return {.kind = cell.kind,
          .rule = Rule::gate_uncertain,
          .review_reason = cell.reason,
          .counts = counts_after(closed)};
}

/// A final error is never escalated and never retried.
Decision on_final_error(const Attempt& closed) {
  return {.kind = DecisionKind::fail,
          .rule = Rule::final_error,
          .fail_cause = FailCause::final_error,
          .counts = counts_after(closed)};
}

/// A retryable error; gate errors are included.
Decision on_failure(const StageDefinition& stage, const Attempt& closed) {
  return retry_or_give_up(stage, closed, Cause::error_retry);
}

/// With a hint, the wait is what the service asked for and uses no retry, within the limits on
/// waits in a row and on the length of a wait. Without a hint, it is a failure like any other.
Decision on_rate_limit(const StageDefinition& stage, const Attempt& closed) {
  if (!closed.error || !closed.error->retry_after) {
    return retry_or_give_up(stage, closed, Cause::rate_limited);
  }
  Counts counts = counts_after(closed);
  counts.rate_limit_waits = closed.counts_before.rate_limit_waits + 1;
  give_back(counts);
  const Duration wait = *closed.error->retry_after;
  if (counts.rate_limit_waits > stage.retry.max_rate_limit_waits ||
      wait > stage.retry.max_retry_after) {
    return give_up(stage, counts, FailCause::rate_limit, Rule::rate_limit_waits_exhausted);
  }
  return try_again(closed, counts, wait, Cause::rate_limited, Rule::rate_limit_hint, false);
}

Decision on_blocked(const Attempt& closed) {
  return {.kind = DecisionKind::review,
          .rule = Rule::stage_blocked,
          .review_reason = ReviewReason::blocked,
          .counts = counts_after(closed)};
}

/// Retryable, whatever the class of the error: all that is known is that it took too long.
Decision on_timeout(const StageDefinition& stage, const Attempt& closed) {
  return retry_or_give_up(stage, closed, Cause::error_retry);
}

/// The stage chose to skip: no gate is asked, and no reviewer.
Decision on_skip(const Attempt& closed) {
  return {.kind = DecisionKind::skip, .rule = Rule::stage_skipped, .counts = counts_after(closed)};
}

Decision on_review_request(const Attempt& closed) {
  return {.kind = DecisionKind::review,
          .rule = Rule::stage_asked_for_review,
          .review_reason = ReviewReason::requested,
          .counts = counts_after(closed)};
}

Decision on_expansion(const Attempt& closed) {
  return {
      .kind = DecisionKind::expand, .rule = Rule::stage_expanded, .counts = counts_after(closed)};
}

/// The result of the attempt is recorded, but not applied. A rerun of the stage, or of an upstream
/// stage, cancels only the attempt: the task continues in a new epoch (see rerun.cpp).
Decision on_cancel(const Attempt& closed) {
  const CancelCause cause = closed.cancelled_by.value_or(CancelCause::requested);
  return {.kind = DecisionKind::cancel,
          .rule = cause == CancelCause::superseded ? Rule::superseded : Rule::cancelled,
          .cancel_cause = cause,
          .counts = counts_after(closed)};
}

/// An interruption is not the item's fault, so it uses no retry. But an item that kills its worker
/// again and again is given up. A graceful stop, or an attempt that never ran, is not evidence
/// against the item.
Decision on_interruption(const StageDefinition& stage, const Attempt& closed) {
  Counts counts = counts_after(closed);
  counts.interruptions = closed.counts_before.interruptions;
  counts.rate_limit_waits =
      closed.counts_before.rate_limit_waits;  // an interruption does not end the series
  give_back(counts);
  if (!closed.graceful && closed.ran) {
    ++counts.interruptions;
    const std::uint32_t most = stage.retry.max_interruptions;
    if (most != 0 && counts.interruptions >= most) {
      return give_up(stage, counts, FailCause::interruptions, Rule::interruptions_exhausted);
    }
  }
  const Rule rule = closed.graceful ? Rule::handed_back : Rule::interrupted_again;
  return try_again(closed, counts, Duration::zero(), Cause::interrupted, rule, false);
}

}  // namespace pawl::observed
