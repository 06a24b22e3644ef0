#pragma once

/// Short builders for the starting points of core tests.

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pawl/core/step.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::given {

using namespace std::chrono_literals;

inline constexpr Timestamp noon{std::chrono::seconds(1'700'000'000)};
inline constexpr WorkerId worker{3};

inline StageDefinition stage(RetryPolicy retry = {}, ReviewPolicy review = ReviewPolicy::never) {
  StageDefinition made;
  made.name = "scan";
  made.handler = "scan";
  made.retry = retry;
  made.review = review;
  return made;
}

/// A stage called `name` that needs `needs`.
inline StageDefinition node(std::string name, std::vector<std::string> needs = {},
                            Scope scope = Scope::item) {
  StageDefinition made;
  made.handler = name;
  made.name = std::move(name);
  made.needs = std::move(needs);
  made.scope = scope;
  return made;
}

inline Workflow workflow(std::vector<StageDefinition> stages) {
  return Workflow::from_checked({.name = "invoices", .stages = std::move(stages)}, "hash");
}

inline Task ready_task(StageIndex stage = {}) {
  Task task;
  task.id = task_id(ItemId{7}, stage);
  task.job = JobId{1};
  task.item = ItemId{7};
  task.version = 1;
  task.state = Ready{};
  return task;
}

/// A Running task whose `attempts`-th attempt is open.
inline Task running_task(AttemptNumber attempts = 1, StageIndex stage = {}) {
  Task task = ready_task(stage);
  task.attempts = attempts;
  task.counts.attempts = attempts;
  task.version = 2;
  task.state = Running{.worker = worker, .opened_at = noon};
  return task;
}

inline Task in_state(TaskState state, StageIndex stage = {}) {
  Task task = running_task(1, stage);
  task.state = std::move(state);
  return task;
}

inline Attempt attempt(AttemptResult result) {
  Attempt closed;
  closed.task = task_id(ItemId{7}, StageIndex{});
  closed.number = 1;
  closed.counts_before.attempts = 1;
  closed.opened_at = noon;
  closed.started_at = noon;
  closed.ended_at = noon + 10s;
  closed.result = result;
  return closed;
}

inline Attempt success(Json output = Json::object({{"words", 42}})) {
  Attempt closed = attempt(AttemptResult::success);
  closed.output = std::move(output);
  return closed;
}

inline Attempt judged(Verdict verdict, std::string summary = "too short") {
  Attempt closed = success();
  closed.verdict = verdict;
  if (verdict == Verdict::rejected) closed.feedback = Feedback{.summary = std::move(summary)};
  if (verdict == Verdict::uncertain) closed.verdict_reason = std::move(summary);
  return closed;
}

inline Attempt failure(ErrorClass error_class = ErrorClass::retryable,
                       std::string message = "connection refused") {
  Attempt closed = attempt(AttemptResult::failure);
  closed.error = StageError{.error_class = error_class, .message = std::move(message)};
  return closed;
}

inline Attempt rate_limited(std::optional<Duration> retry_after) {
  Attempt closed = failure(ErrorClass::rate_limited, "429");
  closed.error->retry_after = retry_after;
  return closed;
}

inline Attempt timed_out(std::string code = "stage_timeout") {
  Attempt closed = attempt(AttemptResult::timed_out);
  closed.error = StageError{.kind = ErrorKind::timeout, .code = std::move(code), .message = "slow"};
  return closed;
}

inline std::vector<EventType> types_of(const std::vector<Event>& events) {
  std::vector<EventType> types;
  for (const Event& event : events) types.push_back(event.type);
  return types;
}

}  // namespace pawl::given
