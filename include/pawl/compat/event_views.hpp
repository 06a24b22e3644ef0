#pragma once

/// Events under the names and with the fields that they have in older systems.
///
///   const auto retry = pawl::as<pawl::RetryScheduledEvent>(event);
///   if (retry) show(retry->attempt, retry->next_run_at);
///
/// With the records of the store, a view also has the names of the item and the stage:
/// `as<View>(event, engine.records())->names.item`.
///
/// `as<View>(event)` is empty if the event is of another type. A new program reads the fields of
/// `Event` itself.

#include <cstdint>
#include <optional>
#include <string>

#include "pawl/core/attempt.hpp"
#include "pawl/core/event.hpp"
#include "pawl/store/records.hpp"

namespace pawl {

/// What an event is about, by name.
struct EventNames {
  std::string item;   ///< its key; empty for a job-wide task
  std::string stage;  ///< empty if it cannot be read any more
  std::string child;  ///< of a fan-out child
};
/// Reads the names from the store.
[[nodiscard]] EventNames names_of(const Event& event, Records& records);

struct QualityCheckPassed {
  TaskId task;
  AttemptNumber attempt;
  std::string summary;  ///< of the gates; may be empty
  EventNames names = {};
};
struct QualityCheckFailed {
  TaskId task;
  AttemptNumber attempt;
  std::string feedback_summary;
  EventNames names = {};
};
struct RetryScheduledEvent {
  TaskId task;
  AttemptNumber attempt;  ///< the number of the next attempt
  std::int64_t max_attempts;
  Cause cause;
  Timestamp next_run_at;
  EventNames names = {};
};
/// Emitted before the code of a retry runs.
struct RetryAttempt {
  TaskId task;
  AttemptNumber attempt;
  std::int64_t max_attempts;
  std::optional<std::string> feedback_summary;
  EventNames names = {};
};
struct Escalated {
  TaskId task;
  ReviewReason why;
  std::string reason;
  EventNames names = {};
};

template <class View>
[[nodiscard]] std::optional<View> as(const Event& event);
/// The same with the names of the item and the stage.
template <class View>
[[nodiscard]] std::optional<View> as(const Event& event, Records& records) {
  std::optional<View> view = as<View>(event);
  if (view) view->names = names_of(event, records);
  return view;
}
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
