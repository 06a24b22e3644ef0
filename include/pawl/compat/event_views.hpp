#pragma once

/// Events under the names and with the fields that they have in older systems.
///
///   const auto retry = pawl::as<pawl::RetryScheduledEvent>(event);
///   if (retry) show(retry->attempt, retry->next_run_at);
///
/// `as<View>(event)` is empty if the event is of another type. A new program reads the fields of
/// `Event` itself.

#include <cstdint>
#include <optional>
#include <string>

#include "pawl/core/attempt.hpp"
#include "pawl/core/event.hpp"

namespace pawl {

struct QualityCheckPassed {
  TaskId task;
  AttemptNumber attempt;
  std::string summary;  ///< of the gates; may be empty
};
struct QualityCheckFailed {
  TaskId task;
  AttemptNumber attempt;
  std::string feedback_summary;
};
struct RetryScheduledEvent {
  TaskId task;
  AttemptNumber attempt;  ///< the number of the next attempt
  std::int64_t max_attempts;
  Cause cause;
  Timestamp next_run_at;
};
/// Emitted before the code of a retry runs.
struct RetryAttempt {
  TaskId task;
  AttemptNumber attempt;
  std::int64_t max_attempts;
  std::optional<std::string> feedback_summary;
};
struct Escalated {
  TaskId task;
  ReviewReason why;
  std::string reason;
};

template <class View>
[[nodiscard]] std::optional<View> as(const Event& event);
template <>
std::optional<QualityCheckPassed> as(const Event& event);
template <>
std::optional<QualityCheckFailed> as(const Event& event);
template <>
std::optional<RetryScheduledEvent> as(const Event& event);
template <>
std::optional<RetryAttempt> as(const Event& event);
template <>
std::optional<Escalated> as(const Event& event);

}  // namespace pawl
