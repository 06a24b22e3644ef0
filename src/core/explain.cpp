#include <string>

#include "pawl/core/decide.hpp"

namespace pawl {
namespace {

/// The duration in a readable unit, with one decimal unless it is whole.
std::string in_words(Duration duration) {
  const auto count = duration.count();
  const auto in_unit = [&](std::int64_t unit, const char* name) {
    const std::int64_t tenths = count / (unit / 10);
    std::string text = std::to_string(tenths / 10);
    if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
    return text + name;
  };
  if (count >= 1'000'000) return in_unit(1'000'000, "s");
  return count >= 1'000 ? in_unit(1'000, "ms") : std::to_string(count) + "us";
}

std::string share(std::uint64_t used, std::uint64_t most) {
  return std::to_string(used) + "/" + std::to_string(most);
}

/// The count that a failure or a rejection used, by its name in the policy.
std::string count_used(const StageDefinition& stage, const Attempt& closed) {
  const RetryPolicy& retry = stage.retry;
  const Counts& counts = closed.decision.counts;
  const bool was_rejected = closed.result == AttemptResult::success;
  if (!retry.has_separate_caps()) {
    return "max_attempts " +
           share(std::uint64_t{counts.failures} + counts.rejections, retry.max_attempts);
  }
  return was_rejected ? "refine.attempts " + share(counts.rejections, retry.rejections_max())
                      : "retry.attempts " + share(counts.failures, retry.failures_max());
}

/// The count that is exhausted: the job's own cap if the policy of the stage allows another try.
std::string count_exhausted(const StageDefinition& stage, const Attempt& closed) {
  const RetryPolicy& retry = stage.retry;
  const Counts& counts = closed.decision.counts;
  const bool by_policy =
      retry.has_separate_caps()
          ? counts.failures >= retry.failures_max() || counts.rejections >= retry.rejections_max()
          : std::uint64_t{counts.failures} + counts.rejections >= retry.max_attempts;
  if (!by_policy && closed.attempts_cap) {
    return "max_attempts_per_task " + share(counts.attempts, *closed.attempts_cap);
  }
  return count_used(stage, closed);
}

std::string when(const Attempt& closed) {
  const Duration delay = closed.decision.next_run_at - closed.ended_at;
  return delay <= Duration::zero() ? "at once" : "in " + in_words(delay);
}

std::string message_of(const Attempt& closed) {
  return closed.error && !closed.error->message.empty() ? " (" + closed.error->message + ")"
                                                        : std::string{};
}

std::string why_rate_limit_ended(const StageDefinition& stage, const Attempt& closed) {
  const bool too_long =
      closed.error && closed.error->retry_after.value_or(Duration{}) > stage.retry.max_retry_after;
  if (too_long) {
    return "asked to wait " + in_words(*closed.error->retry_after) + ", longer than " +
           in_words(stage.retry.max_retry_after);
  }
  return "more than " + std::to_string(stage.retry.max_rate_limit_waits) +
         " rate-limit waits in a row";
}

std::string what_the_decider_said(const Attempt& closed) {
  std::string text =
      closed.decider.empty() ? "a custom decider" : "decider '" + closed.decider + "'";
  switch (closed.decision.kind) {
    case DecisionKind::retry:
      text += ": retry " + when(closed);
      break;
    case DecisionKind::fail:
      text += ": given up";
      break;
    case DecisionKind::review:
      text += ": a reviewer decides";
      break;
    case DecisionKind::complete:
      text += ": accepted";
      break;
    case DecisionKind::skip:
      text += ": skipped";
      break;
    case DecisionKind::expand:
      text += ": expanded";
      break;
    case DecisionKind::cancel:
      text += ": cancelled";
      break;
  }
  return closed.decision.reason.empty() ? text : text + " (" + closed.decision.reason + ")";
}

std::string interruptions(const StageDefinition& stage, const Attempt& closed) {
  const std::uint32_t most = stage.retry.max_interruptions;
  const std::uint32_t used = closed.decision.counts.interruptions;
  return most == 0 ? "interruptions " + std::to_string(used)
                   : "max_interruptions " + share(used, most);
}

}  // namespace

std::string explain(const StageDefinition& stage, const Attempt& closed) {
  const Decision& decision = closed.decision;
  const std::string next = decision.kind == DecisionKind::review ? "a reviewer decides" : "failed";
  switch (decision.rule) {
    case Rule::succeeded_without_gate:
      return "succeeded; no gate judges this stage";
    case Rule::accepted_by_gate:
      return "accepted by all gates";
    case Rule::review_always:
      return "every output of this stage is reviewed: a reviewer decides";
    case Rule::gate_uncertain:
      return "a gate is uncertain" +
             (closed.verdict_reason.empty() ? "" : " (" + closed.verdict_reason + ")") +
             ": a reviewer decides";
    case Rule::uncertain_taken_as_accepted:
      return "a gate is uncertain, and its on_uncertain says accept";
    case Rule::stage_asked_for_review:
      return "the stage asked for a review: a reviewer decides";
    case Rule::stage_blocked:
      return "blocked" + message_of(closed) + ": a reviewer decides";
    case Rule::stage_skipped:
      return "the stage chose to skip this item";
    case Rule::stage_expanded:
      return "expanded into children";
    case Rule::retry_after_failure:
      return count_used(stage, closed) + ": retry " + when(closed);
    case Rule::retry_hint:
      return count_used(stage, closed) + ": retry " + when(closed) + " as asked";
    case Rule::refine_after_rejection: {
      const bool delayed = decision.next_run_at > closed.ended_at;
      return count_used(stage, closed) + ": rerun with feedback" +
             (delayed ? " " + when(closed) : std::string{});
    }
    case Rule::rate_limit_hint:
      return "rate limited: retried " + when(closed) + " as asked; wait " +
             share(decision.counts.rate_limit_waits, stage.retry.max_rate_limit_waits) +
             ", no attempt used up";
    case Rule::interrupted_again:
      return closed.ran ? "interrupted: retried at once; " + interruptions(stage, closed)
                        : "interrupted before it ran: retried at once";
    case Rule::handed_back:
      return "handed back by a graceful stop: retried at once";
    case Rule::final_error:
      return "final error" + message_of(closed) + ": never retried";
    case Rule::exhausted_fails:
    case Rule::exhausted_escalates:
      return count_exhausted(stage, closed) + ": exhausted, " + next;
    case Rule::rate_limit_waits_exhausted:
      return why_rate_limit_ended(stage, closed) + ": exhausted, " + next;
    case Rule::interruptions_exhausted:
      return interruptions(stage, closed) + ": exhausted, " + next;
    case Rule::cancelled:
      return "cancelled while it ran; its result is recorded but not applied";
    case Rule::children_ended:
      return "all children have ended";
    case Rule::children_failed:
      return "more children failed than are tolerated";
    case Rule::custom_decider:
      return what_the_decider_said(closed);
    case Rule::approved:
      return "approved by a reviewer";
    case Rule::approved_with_edits:
      return "approved by a reviewer, with edits";
    case Rule::changes_requested:
      return "a reviewer requested changes";
    case Rule::rejected_by_person:
      return "rejected by a reviewer";
    case Rule::rerun_requested:
      return "a rerun was requested";
    case Rule::superseded:
      return "superseded: this stage or an upstream stage was rerun";
    case Rule::imported:
      return "imported from an older system";
    case Rule::discarded:
      return "the dead letter was discarded";
  }
  return {};
}

}  // namespace pawl
