#include "pawl/compat/event_views.hpp"

namespace pawl {

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
