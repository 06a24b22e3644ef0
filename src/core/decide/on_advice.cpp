#include <variant>

#include "core/decide/conclude.hpp"
#include "pawl/core/decide.hpp"
#include "pawl/core/text.hpp"

namespace pawl {
namespace {

bool is_blocked(const Attempt& closed) {
  return closed.result == AttemptResult::blocked ||
         (closed.error && closed.error->error_class == ErrorClass::blocked);
}

Cause cause_after(const Attempt& closed) {
  if (closed.result == AttemptResult::success) return Cause::gate_feedback;
  const bool limited = closed.error && closed.error->error_class == ErrorClass::rate_limited;
  return limited ? Cause::rate_limited : Cause::error_retry;
}

/// Turns advice into a decision, starting from the default decision.
struct Adviser {
  const StageDefinition& stage;
  const Attempt& closed;
  const Decision& fallback;

  Decision operator()(const Retry& advice) const {
    // A decider may overrule the policy of the stage, but never the job's cap on attempts. The cap
    // stops a decider that always retries.
    if (closed.attempts_cap && fallback.counts.attempts >= *closed.attempts_cap) {
      return observed::give_up(stage, fallback.counts);
    }
    return worded(observed::try_again(closed, fallback.counts, advice.delay, cause_after(closed),
                                      Rule::custom_decider, observed::wants_new_work(closed)),
                  advice.reason);
  }

  Decision operator()(const MarkDead& advice) const {
    return worded({.kind = DecisionKind::fail,
                   .rule = Rule::custom_decider,
                   .fail_cause = FailCause::marked_dead,
                   .counts = fallback.counts},
                  advice.reason);
  }

  Decision operator()(const Escalate& advice) const {
    return worded(
        {.kind = DecisionKind::review,
         .rule = Rule::custom_decider,
         .review_reason = is_blocked(closed) ? ReviewReason::blocked : ReviewReason::exhausted,
         .counts = fallback.counts},
        advice.reason);
  }

  /// Uses the same cells as an accepting gate, so `review: always` still asks a reviewer.
  Decision operator()(const Accept& advice) const {
    if (closed.output.is_null()) return fallback;
    return worded(observed::accept(stage, fallback.counts, Rule::custom_decider), advice.reason);
  }

  /// Repaired here and not where the decider is asked, so that `verify` gets the same reason when
  /// it asks again.
  static Decision worded(Decision decision, const std::string& reason) {
    decision.reason = valid_text(reason);
    return decision;
  }
};

}  // namespace

bool is_put_to_decider(const Attempt& closed) {
  if (closed.cancelled_by) return false;
  switch (closed.result) {
    case AttemptResult::success:
      return closed.verdict == Verdict::rejected;
    case AttemptResult::failure:
    case AttemptResult::timed_out:
    case AttemptResult::blocked:
      return true;
    case AttemptResult::skipped:
    case AttemptResult::needs_review:
    case AttemptResult::expanded:
    case AttemptResult::cancelled:
    case AttemptResult::interrupted:
      return false;
  }
  return false;
}

Decision decide_as_advised(const StageDefinition& stage, const Attempt& closed,
                           const Advice& advice) {
  const Decision fallback = decide(stage, closed);
  if (!is_put_to_decider(closed)) return fallback;
  return std::visit(Adviser{.stage = stage, .closed = closed, .fallback = fallback}, advice);
}

}  // namespace pawl
