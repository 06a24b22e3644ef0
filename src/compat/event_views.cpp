#include "pawl/compat/event_views.hpp"

namespace pawl {

EventNames names_of(const Event& event, Records& records) {
  EventNames names;
  if (event.item) {
    if (const Result<Item> item = records.item(event.item)) names.item = item->key;
  }
  if (!event.task) return names;
  const Result<Job> job = records.job(event.job);
  const Result<Workflow> workflow =
      job ? records.workflow(job->workflow_hash) : std::unexpected(job.error());
  if (workflow && at(stage_of(event.task)) < workflow->stage_count()) {
    names.stage = workflow->stage(stage_of(event.task)).name;
  }
  const Result<Task> task = records.task(event.task);
  if (task && task->child) names.child = task->child->key;
  return names;
}

template <>
std::optional<QualityCheckPassed> as(const Event& event) {
  if (event.type != EventType::gate_accepted) return {};
  return QualityCheckPassed{.task = event.task, .attempt = event.attempt, .summary = event.text};
}

template <>
std::optional<QualityCheckFailed> as(const Event& event) {
  if (event.type != EventType::gate_rejected) return {};
  return QualityCheckFailed{
      .task = event.task, .attempt = event.attempt, .feedback_summary = event.text};
}

template <>
std::optional<RetryScheduledEvent> as(const Event& event) {
  if (event.type != EventType::retry_scheduled) return {};
  return RetryScheduledEvent{.task = event.task,
                             .attempt = event.attempt,
                             .max_attempts = event.count,
                             .cause = static_cast<Cause>(event.code),
                             .next_run_at = event.when};
}

template <>
std::optional<RetryAttempt> as(const Event& event) {
  if (event.type != EventType::retry_started) return {};
  RetryAttempt view{.task = event.task,
                    .attempt = event.attempt,
                    .max_attempts = event.count,
                    .feedback_summary = {}};
  if (!event.text.empty()) view.feedback_summary = event.text;
  return view;
}

template <>
std::optional<Escalated> as(const Event& event) {
  if (event.type != EventType::escalated) return {};
  return Escalated{
      .task = event.task, .why = static_cast<ReviewReason>(event.code), .reason = event.text};
}

}  // namespace pawl
