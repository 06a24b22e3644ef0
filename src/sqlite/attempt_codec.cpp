#include "sqlite/attempt_codec.hpp"

#include <string>

#include "sqlite/decoded.hpp"
#include "sqlite/sql_text.hpp"

namespace pawl::sqlite {

namespace {

constexpr char attempt_columns[] =
    "task, number, epoch, round, cause, worker, ran, opened_at, started_at, ended_at, result, "
    "verdict, cost_microusd, tokens, failures_before, rejections_before, rate_limit_waits_before, "
    "interruptions_before, epoch_attempts_before, attempts_cap, cancelled_by, graceful, decision, "
    "rule, next_run_at, next_cause, review_reason, fail_cause, cancel_cause, new_round, failures, "
    "rejections, rate_limit_waits, interruptions, epoch_attempts, decider, decision_reason, "
    "verdict_reason, error, feedback, summary, artifacts, output";

constexpr auto insert_attempt = joined(
    "INSERT INTO attempts (", attempt_columns,
    ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
    "?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, "
    "?37, ?38, ?39, ?40, ?41, ?42, ?43)");

constexpr auto select_attempts =
    joined("SELECT ", attempt_columns, " FROM attempts WHERE task = ?1 ORDER BY number");

constexpr char select_output[] =
    "SELECT output, artifacts FROM attempts WHERE task = ?1 AND number = ?2";

void read_counts(Columns& columns, Counts& counts) {
  columns.into(counts.failures);
  columns.into(counts.rejections);
  columns.into(counts.rate_limit_waits);
  columns.into(counts.interruptions);
  columns.into(counts.attempts);
}

std::vector<ArtifactRecord> artifacts_from(std::string_view text) {
  if (text.empty()) return {};
  return decoded<std::vector<ArtifactRecord>>(text);
}

Attempt attempt_of(const Cursor& row) {
  Columns columns(row);
  Attempt attempt;
  columns.into(attempt.task);
  columns.into(attempt.number);
  columns.into(attempt.epoch);
  columns.into(attempt.round);
  columns.into(attempt.cause);
  columns.into(attempt.worker);
  columns.into(attempt.ran);
  columns.into(attempt.opened_at);
  columns.into(attempt.started_at);
  columns.into(attempt.ended_at);
  columns.into(attempt.result);
  columns.into(attempt.verdict);
  columns.into(attempt.usage.cost_microusd);
  columns.into(attempt.usage.tokens);
  read_counts(columns, attempt.counts_before);
  columns.into(attempt.attempts_cap);
  columns.into(attempt.cancelled_by);
  columns.into(attempt.graceful);
  Decision& decision = attempt.decision;
  columns.into(decision.kind);
  columns.into(decision.rule);
  columns.into(decision.next_run_at);
  columns.into(decision.next_cause);
  columns.into(decision.review_reason);
  columns.into(decision.fail_cause);
  columns.into(decision.cancel_cause);
  columns.into(decision.new_round);
  read_counts(columns, decision.counts);
  columns.into(attempt.decider);
  columns.into(decision.reason);
  columns.into(attempt.verdict_reason);
  attempt.error = decoded_or_none<StageError>(columns.view());
  attempt.feedback = decoded_or_none<Feedback>(columns.view());
  columns.into(attempt.summary);
  attempt.artifacts = artifacts_from(columns.view());
  columns.into(attempt.output);
  return attempt;
}

}  // namespace

void insert_attempt_row(Connection& connection, const Attempt& attempt) {
  const std::optional<std::string> error = encoded(attempt.error);
  const std::optional<std::string> feedback = encoded(attempt.feedback);
  std::optional<std::string> artifacts;
  if (!attempt.artifacts.empty()) artifacts = to_json_text(attempt.artifacts);
  const Counts& before = attempt.counts_before;
  const Decision& decision = attempt.decision;
  const Counts& after = decision.counts;
  connection.prepared(insert_attempt)
      .run(attempt.task, attempt.number, attempt.epoch, attempt.round, attempt.cause,
           attempt.worker, attempt.ran, attempt.opened_at, attempt.started_at, attempt.ended_at,
           attempt.result, attempt.verdict, attempt.usage.cost_microusd, attempt.usage.tokens,
           before.failures, before.rejections, before.rate_limit_waits, before.interruptions,
           before.attempts, attempt.attempts_cap, attempt.cancelled_by, attempt.graceful,
           decision.kind, decision.rule, decision.next_run_at, decision.next_cause,
           decision.review_reason, decision.fail_cause, decision.cancel_cause, decision.new_round,
           after.failures, after.rejections, after.rate_limit_waits, after.interruptions,
           after.attempts, unless_empty(attempt.decider), unless_empty(decision.reason),
           unless_empty(attempt.verdict_reason), error, feedback, unless_empty(attempt.summary),
           artifacts, unless_null(attempt.output));
}

std::vector<Attempt> attempts_of(Connection& connection, TaskId task) {
  std::vector<Attempt> attempts;
  for (Cursor row = connection.prepared(select_attempts).query(task); row.next();) {
    attempts.push_back(attempt_of(row));
  }
  return attempts;
}

std::optional<std::pair<Json, std::vector<ArtifactRecord>>> output_of(Connection& connection,
                                                                      TaskId task,
                                                                      AttemptNumber number) {
  Cursor row = connection.prepared(select_output).query(task, number);
  if (!row.next()) return std::nullopt;
  return std::pair(row.json(0), artifacts_from(row.view(1)));
}

}  // namespace pawl::sqlite
