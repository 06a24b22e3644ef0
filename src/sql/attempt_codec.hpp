#pragma once

/// A closed attempt as a row of `attempts`: inserted once, never changed.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/core/attempt.hpp"
#include "sql/nulls.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// The whole row, in the order of `attempt_values`.
inline constexpr char attempt_columns[] =
    "task, number, epoch, round, cause, worker, ran, opened_at, started_at, ended_at, result, "
    "verdict, cost_microusd, tokens, failures_before, rejections_before, rate_limit_waits_before, "
    "interruptions_before, epoch_attempts_before, attempts_cap, cancelled_by, graceful, decision, "
    "rule, next_run_at, next_cause, review_reason, fail_cause, cancel_cause, new_round, failures, "
    "rejections, rate_limit_waits, interruptions, epoch_attempts, decider, decision_reason, "
    "verdict_reason, error, feedback, summary, artifacts, output";

/// All attempts of a task, by number.
[[nodiscard]] std::vector<Attempt> attempts_of(Session& session, TaskId task);
/// Only the output and the artifacts of one attempt.
[[nodiscard]] std::optional<std::pair<Json, std::vector<ArtifactRecord>>> output_of(
    Session& session, TaskId task, AttemptNumber number);

/// The fields that are stored as text.
struct AttemptTexts {
  std::optional<std::string> error;
  std::optional<std::string> feedback = {};  ///< `codec::Findings`
  std::optional<std::string> artifacts = {};
};
[[nodiscard]] AttemptTexts attempt_texts(const Attempt& attempt);

/// Calls `use` with all values of the row; they are valid until it returns.
template <class Use>
auto attempt_values(const Attempt& attempt, Use use) {
  const AttemptTexts texts = attempt_texts(attempt);
  const Counts& before = attempt.counts_before;
  const Decision& decision = attempt.decision;
  const Counts& after = decision.counts;
  return use(attempt.task, attempt.number, attempt.epoch, attempt.round, attempt.cause,
             attempt.worker, attempt.ran, attempt.opened_at, attempt.started_at, attempt.ended_at,
             attempt.result, attempt.verdict, attempt.usage.cost_microusd, attempt.usage.tokens,
             before.failures, before.rejections, before.rate_limit_waits, before.interruptions,
             before.attempts, attempt.attempts_cap, attempt.cancelled_by, attempt.graceful,
             decision.kind, decision.rule, decision.next_run_at, decision.next_cause,
             decision.review_reason, decision.fail_cause, decision.cancel_cause, decision.new_round,
             after.failures, after.rejections, after.rate_limit_waits, after.interruptions,
             after.attempts, unless_empty(attempt.decider), unless_empty(decision.reason),
             unless_empty(attempt.verdict_reason), texts.error, texts.feedback,
             unless_empty(attempt.summary), texts.artifacts, unless_null(attempt.output));
}

}  // namespace pawl::sql
