#include "sql/attempt_codec.hpp"

#include <string>

#include "sql/decoded.hpp"
#include "sql/sql_text.hpp"

namespace pawl::sql {

namespace {

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

void read_attempt(const Cursor& row, Attempt& attempt) {
  Columns columns(row);
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
  if (auto findings = decoded_or_none<codec::Findings>(columns.view())) {
    attempt.feedback = std::move(findings->feedback);
    attempt.assessments = std::move(findings->assessments);
    attempt.alternatives = std::move(findings->alternatives);
    attempt.action = std::move(findings->action);
  }
  columns.into(attempt.summary);
  attempt.artifacts = artifacts_from(columns.view());
  columns.into(attempt.output);
}

std::string named(TaskId task, AttemptNumber number) {
  return "attempt " + std::to_string(number) + " of task " + std::to_string(task.value());
}

Attempt attempt_of(const Cursor& row) {
  Attempt attempt;
  reading_row([&] { return named(attempt.task, attempt.number); },
              [&] { read_attempt(row, attempt); });
  return attempt;
}

}  // namespace

std::vector<Attempt> attempts_of(Session& session, TaskId task) {
  std::vector<Attempt> attempts;
  for (Cursor row = session.prepared(select_attempts).query(task); row.next();) {
    attempts.push_back(attempt_of(row));
  }
  return attempts;
}

std::optional<std::pair<Json, std::vector<ArtifactRecord>>> output_of(Session& session, TaskId task,
                                                                      AttemptNumber number) {
  Cursor row = session.prepared(select_output).query(task, number);
  if (!row.next()) return std::nullopt;
  return reading_row([&] { return named(task, number); },
                     [&] { return std::pair(row.json(0), artifacts_from(row.view(1))); });
}

AttemptTexts attempt_texts(const Attempt& attempt) {
  AttemptTexts texts{.error = encoded(attempt.error)};
  const bool is_feedback_alone =
      attempt.assessments.empty() && attempt.alternatives.empty() && attempt.action.is_null();
  if (is_feedback_alone) {
    texts.feedback = encoded(attempt.feedback);
  } else {
    texts.feedback = codec::to_json_text(codec::Findings{.feedback = attempt.feedback,
                                                         .assessments = attempt.assessments,
                                                         .alternatives = attempt.alternatives,
                                                         .action = attempt.action});
  }
  if (!attempt.artifacts.empty()) texts.artifacts = codec::to_json_text(attempt.artifacts);
  return texts;
}

}  // namespace pawl::sql
