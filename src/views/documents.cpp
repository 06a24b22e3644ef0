#include "pawl/views/documents.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "codec/object_writer.hpp"
#include "pawl/core/shown.hpp"
#include "text/passwords.hpp"
#include "views/document_writer.hpp"
#include "views/jobs.hpp"

namespace pawl {

using namespace views;
using codec::ObjectWriter;

namespace {

void append_items(std::string& out, const ItemCounts& items) {
  ObjectWriter object(out);
  object.write("total", items.total);
  object.write("succeeded", items.succeeded);
  object.write("failed", items.failed);
  object.write("cancelled", items.cancelled);
  object.write("rejected", items.rejected);
  object.write("active", items.active());
  object.write("adopted", items.adopted + items.adopted_rejected);
}

/// One task for each item and stage, and one for each job-wide stage; children are not counted.
void append_tasks(std::string& out, const Job& job, const Workflow& workflow) {
  std::int64_t total = 0;
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  for (const StageIndex stage : workflow.topological_order()) {
    const StateCounts shown = shown_counts(job, workflow, stage);
    total += workflow.stage(stage).scope == Scope::all ? 1 : job.items.total;
    succeeded += shown[StateKind::succeeded];
    failed += shown[StateKind::failed];
  }
  ObjectWriter object(out);
  object.write("total", total);
  object.write("succeeded", succeeded);
  object.write("failed", failed);
}

void append_stages(std::string& out, const Job& job, const Workflow& workflow) {
  out += '{';
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto stage = static_cast<StageIndex>(i);
    if (i > 0) out += ',';
    append_quoted(out, workflow.stage(stage).name);
    out += ':';
    const StateCounts counts = shown_counts(job, workflow, stage);
    ObjectWriter object(out);
    for (std::size_t kind = 0; kind < state_kinds; ++kind) {
      object.write(name_of(static_cast<StateKind>(kind)), counts.by_kind[kind]);
    }
  }
  out += '}';
}

std::optional<double> seconds_if_set(const std::optional<Duration>& duration) {
  return duration ? std::optional(seconds_of(*duration)) : std::nullopt;
}

/// What a job will have used at its end if the other items use as much as those that have ended;
/// none if that cannot be said yet.
std::optional<double> forecast_of(const Job& job, std::int64_t used) {
  if (used <= 0) return std::nullopt;
  if (job.has_ended()) return static_cast<double>(used);
  const std::int64_t adopted = job.items.adopted + job.items.adopted_rejected;
  const std::int64_t ended = job.items.settled() - adopted;
  if (job.submission_open || job.cancelled || ended <= 0) return std::nullopt;
  const auto share = static_cast<double>(job.items.total - adopted) / static_cast<double>(ended);
  return static_cast<double>(used) * share;
}

/// The same for something that is counted.
Json whole_forecast(const Job& job, std::int64_t used) {
  const std::optional<double> forecast = forecast_of(job, used);
  return forecast ? Json{std::llround(std::min(*forecast, 1e18))} : Json{};
}

Json forecast_of_cost(const Job& job) {
  const std::optional<double> forecast = forecast_of(job, job.used.cost_microusd);
  return forecast ? Json{std::round(*forecast / 1e4) / 100} : Json{};
}

void append_budget(std::string& out, const Job& job) {
  const Budget& budget = job.budget;
  ObjectWriter object(out);
  write_optional(object, "max_total_attempts", budget.max_total_attempts);
  object.write("attempts_used", job.attempts_opened);
  object.write("attempts_forecast", whole_forecast(job, job.attempts_opened));
  write_optional(object, "max_attempts_per_task", budget.max_attempts_per_task);
  write_optional(object, "deadline_s", seconds_if_set(budget.deadline));
  write_time(object, "deadline_at", job.deadline_at);
  write_optional(object, "no_progress_s", seconds_if_set(budget.no_progress));
  write_optional(object, "no_progress_decisions", budget.no_progress_decisions);
  object.write("cost_usd", budget.cost_microusd ? Json{dollars_of(*budget.cost_microusd)} : Json{});
  object.write("cost_usd_used", dollars_of(job.used.cost_microusd));
  object.write("cost_usd_forecast", forecast_of_cost(job));
  write_optional(object, "tokens", budget.tokens);
  object.write("tokens_used", job.used.tokens);
  object.write("tokens_forecast", whole_forecast(job, job.used.tokens));
  object.write("exhausted", budget.exhausted);
}

void append_tolerance(std::string& out, const Tolerance& tolerance) {
  ObjectWriter object(out);
  write_optional(object, "count", tolerance.count);
  write_optional(object, "percent", tolerance.percent);
}

/// The cause that belongs to the kind of decision; empty if it has none.
std::string_view cause_of(const Decision& decision) {
  switch (decision.kind) {
    case DecisionKind::retry:
      return name_of(decision.next_cause);
    case DecisionKind::review:
      return name_of(decision.review_reason);
    case DecisionKind::fail:
      return name_of(decision.fail_cause);
    case DecisionKind::cancel:
      return name_of(decision.cancel_cause);
    case DecisionKind::complete:
    case DecisionKind::skip:
    case DecisionKind::expand:
      return {};
  }
  return {};
}

void append_decision(std::string& out, const Decision& decision) {
  ObjectWriter object(out);
  object.write("kind", decision.kind);
  object.write("rule", decision.rule);
  write_name(object, "cause", cause_of(decision));
  write_time(object, "next_run_at",
             decision.kind == DecisionKind::retry ? decision.next_run_at : no_time);
  if (!decision.reason.empty()) object.write("reason", decision.reason);
}

void append_artifacts(std::string& out, const std::vector<ArtifactRecord>& artifacts) {
  out += '[';
  for (const ArtifactRecord& artifact : artifacts) {
    if (&artifact != &artifacts.front()) out += ',';
    ObjectWriter object(out);
    object.write("kind", artifact.kind);
    write_name(object, "name", artifact.name);
    write_name(object, "reference", artifact.reference);
    write_name(object, "sha256", artifact.sha256);
    object.write("size", artifact.size);
    object.write("summary", artifact.summary);
  }
  out += ']';
}

void append_usage(std::string& out, const Usage& usage) {
  ObjectWriter object(out);
  object.write("cost_usd", dollars_of(usage.cost_microusd));
  object.write("tokens", usage.tokens);
}

Json duration_ms(const Attempt& attempt) {
  const Timestamp begin = attempt.started_at == no_time ? attempt.opened_at : attempt.started_at;
  if (begin == no_time || attempt.ended_at == no_time) return {};
  return std::chrono::duration_cast<std::chrono::milliseconds>(attempt.ended_at - begin).count();
}

/// The names of the stages.
std::vector<std::string> names_of(const std::vector<StageIndex>& stages, const Workflow& workflow) {
  std::vector<std::string> names;
  for (const StageIndex stage : stages) names.push_back(workflow.stage(stage).name);
  return names;
}

}  // namespace

Json job_document(const Job& job, const Workflow& workflow) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("job", job.id.value());
    object.write("workflow", job.workflow_name);
    object.write("workflow_hash", job.workflow_hash);
    write_name(object, "key", job.key);
    object.write("state", state_of(job));
    object.write("waiting_for_people", waits_for_people(job));
    write_name(object, "paused", job.paused == PauseCause::none ? "" : name_of(job.paused));
    object.write("paused_stages", names_of(job.paused_stages, workflow));
    write_word(object, "cancelled", job.cancelled);
    object.write("trust", job.trust);
    write_name(object, "trusted_by", job.trusted_by);
    write_time(object, "trusted_at", job.trusted_at);
    object.write("submission_open", job.submission_open);
    append_items(object.member("items"), shown_items(job));
    append_stages(object.member("stages"), job, workflow);
    append_tasks(object.member("tasks"), job, workflow);
    object.write("dead_letters", job.dead_letters);
    object.write("attempts_open", job.attempts_open);
    append_budget(object.member("budget"), job);
    append_tolerance(object.member("tolerate_failures"), job.tolerate_failures);
    object.write("parallel", job.parallel);
    object.write("priority", Json{job.priority});
    object.write("params", job.params);
    object.write("labels", job.labels);
    write_name(object, "submitted_by", job.submitted_by);
    write_time(object, "submitted_at", job.submitted_at);
    write_time(object, "last_progress_at", job.last_progress_at);
    write_time(object, "ended_at", job.ended_at);
  }
  return Json::trusted(std::move(out));
}

namespace {

void append_criteria(std::string& out, const std::vector<Criterion>& criteria) {
  out += '[';
  for (const Criterion& criterion : criteria) {
    if (&criterion != &criteria.front()) out += ',';
    ObjectWriter one(out);
    one.write("name", criterion.name);
    one.write("expected", criterion.expected);
    one.write("actual", criterion.actual);
    one.write("passed", criterion.passed);
  }
  out += ']';
}

void append_assessments(std::string& out, const std::vector<Assessment>& assessments) {
  out += '[';
  for (const Assessment& assessment : assessments) {
    if (&assessment != &assessments.front()) out += ',';
    ObjectWriter one(out);
    one.write("name", assessment.gate);
    one.write("verdict", assessment.verdict);
    one.write("advisory", assessment.advisory);
    write_name(one, "summary", assessment.summary);
    append_criteria(one.member("criteria"), assessment.criteria);
    if (!assessment.parts.empty()) append_assessments(one.member("parts"), assessment.parts);
  }
  out += ']';
}

}  // namespace

Json feedback_document(const Feedback& feedback) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("summary", feedback.summary);
    append_criteria(object.member("criteria"), feedback.criteria);
    object.write("guidance", feedback.guidance);
  }
  return Json::trusted(std::move(out));
}

Json error_document(const StageError& error) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("class", error.error_class);
    object.write("kind", error.kind);
    write_name(object, "code", error.code);
    object.write("message", error.message);
    if (error.retry_after) object.write("retry_after_s", seconds_of(*error.retry_after));
    if (!error.details.is_null()) object.write("details", error.details);
    if (!error.classified_by.empty()) object.write("classified_by", error.classified_by);
  }
  return Json::trusted(std::move(out));
}

Json attempt_document(const Attempt& attempt, std::string_view stage) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("stage", stage);
    object.write("task", attempt.task.value());
    object.write("attempt_number", attempt.number);
    object.write("epoch", attempt.epoch);
    object.write("round", attempt.round);
    object.write("cause", attempt.cause);
    object.write("worker", attempt.worker ? Json{attempt.worker.value()} : Json{});
    object.write("ran", attempt.ran);
    object.write("result", attempt.result);
    object.write("error", attempt.error ? error_document(*attempt.error) : Json{});
    write_word(object, "verdict", attempt.verdict);
    if (!attempt.verdict_reason.empty()) object.write("verdict_reason", attempt.verdict_reason);
    append_assessments(object.member("gates"), attempt.assessments);
    object.write("feedback", attempt.feedback ? feedback_document(*attempt.feedback) : Json{});
    object.write("output", attempt.output);
    write_name(object, "summary", attempt.summary);
    append_artifacts(object.member("artifacts"), attempt.artifacts);
    object.write("alternatives", Json::array(attempt.alternatives));
    object.write("action", attempt.action);
    append_usage(object.member("usage"), attempt.usage);
    write_time(object, "opened_at", attempt.opened_at);
    write_time(object, "started_at", attempt.started_at);
    write_time(object, "ended_at", attempt.ended_at);
    object.write("duration_ms", duration_ms(attempt));
    write_name(object, "decider", attempt.decider);
    append_decision(object.member("decision"), attempt.decision);
  }
  return Json::trusted(std::move(out));
}

Json review_document(const Review& review, std::string_view item_key, std::string_view stage,
                     std::string_view child) {
  std::string out;
  {
    ObjectWriter object(out);
    object.write("review", review.id.value());
    object.write("job", review.job.value());
    write_name(object, "item", item_key);
    object.write("stage", stage);
    write_name(object, "child", child);
    object.write("task", review.task.value());
    object.write("epoch", review.epoch);
    object.write("reason", review.reason);
    object.write("attempt_number", review.attempt);
    object.write("digest", review.digest);
    object.write("status", review.status);
    object.write("assigned", review.assigned);
    write_time(object, "due_at", review.due_at);
    write_name(object, "claimed_by", review.claimed_by);
    write_time(object, "claimed_until", review.claimed_until);
    if (review.answer) {
      ObjectWriter answer(object.member("answer"));
      write_answer(answer, *review.answer);
    } else {
      object.write("answer", Json{});
    }
    write_time(object, "opened_at", review.opened_at);
    write_time(object, "closed_at", review.closed_at);
  }
  return Json::trusted(std::move(out));
}

Json failure_document(const Error& error) {
  const std::string help = text::without_passwords(error.help);
  return Json::object({{"error", Json::object({{"code", name_of(error.code)},
                                               {"message", text::without_passwords(error.message)},
                                               {"help", name_or_null(help)}})}});
}

namespace views {

Json budget_document(const Job& job) {
  std::string out;
  append_budget(out, job);
  return Json::trusted(std::move(out));
}

}  // namespace views
}  // namespace pawl
