#include "core/decide/conclude.hpp"

#include <algorithm>

#include "core/decide/cells.hpp"

namespace pawl::observed {

Counts counts_after(const Attempt& closed) {
  Counts counts = closed.counts_before;
  counts.rate_limit_waits = 0;
  counts.interruptions = 0;
  return counts;
}

void give_back(Counts& counts) {
  if (counts.attempts > 0) --counts.attempts;
}

bool is_exhausted(const RetryPolicy& policy, const Counts& counts,
                  const std::optional<std::uint32_t>& attempts_cap) {
  if (attempts_cap && counts.attempts >= *attempts_cap) return true;
  if (policy.has_separate_caps()) {
    return counts.failures >= policy.failures_max() || counts.rejections >= policy.rejections_max();
  }
  return std::uint64_t{counts.failures} + counts.rejections >= policy.max_attempts;
}

Decision try_again(const Attempt& closed, const Counts& counts, Duration delay, Cause cause,
                   Rule rule, bool new_round) {
  // A failed join is retried as a join. The children are created again only if new work is wanted.
  const bool joins_again = closed.cause == Cause::join && !new_round;
  return {.kind = DecisionKind::retry,
          .rule = rule,
          .next_run_at = closed.ended_at + std::max(delay, Duration::zero()),
          .next_cause = joins_again ? Cause::join : cause,
          .new_round = new_round,
          .counts = counts};
}

Decision retry_or_give_up(const StageDefinition& stage, const Attempt& closed, Cause cause) {
  Counts counts = counts_after(closed);
  ++counts.failures;
  if (is_exhausted(stage.retry, counts, closed.attempts_cap)) return give_up(stage, counts);
  const Duration delay =
      backoff_delay(stage.retry.backoff, counts.failures, closed.task, closed.number);
  const Duration hint =
      closed.error ? closed.error->retry_after.value_or(Duration::zero()) : Duration::zero();
  if (hint <= delay) {
    return try_again(closed, counts, delay, cause, Rule::retry_after_failure,
                     wants_new_work(closed));
  }
  if (hint > stage.retry.max_retry_after) {
    return give_up(stage, counts, FailCause::rate_limit, Rule::rate_limit_waits_exhausted);
  }
  return try_again(closed, counts, hint, cause, Rule::retry_hint, wants_new_work(closed));
}

Decision give_up(const StageDefinition& stage, const Counts& counts) {
  Decision decision = give_up(stage, counts, FailCause::exhausted, Rule::exhausted_fails);
  if (decision.kind == DecisionKind::review) decision.rule = Rule::exhausted_escalates;
  return decision;
}

Decision give_up(const StageDefinition& stage, const Counts& counts, FailCause cause, Rule rule) {
  const Cell& cell = cell_for(Ending::exhausted, stage.retry.on_exhausted, stage.review);
  Decision decision{.kind = cell.kind, .rule = rule, .counts = counts};
  if (cell.kind == DecisionKind::review) {
    decision.review_reason = cell.reason;
  } else {
    decision.fail_cause = cause;
  }
  return decision;
}

Decision accept(const StageDefinition& stage, const Counts& counts, Rule rule) {
  const Cell& cell = cell_for(Ending::accepted, stage.retry.on_exhausted, stage.review);
  Decision decision{.kind = cell.kind, .rule = rule, .counts = counts};
  if (cell.kind == DecisionKind::review) decision.review_reason = cell.reason;
  return decision;
}

bool wants_new_work(const Attempt& closed) {
  if (closed.result == AttemptResult::success) return closed.verdict == Verdict::rejected;
  return closed.result == AttemptResult::failure && closed.error &&
         closed.error->kind == ErrorKind::protocol;
}

}  // namespace pawl::observed
