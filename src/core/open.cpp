#include <utility>

#include "core/ending.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/step.hpp"

namespace pawl {

Task open(const StageDefinition& stage, Task ready, WorkerId worker, Timestamp now,
          std::vector<Event>& events) {
  require(ready.kind() == StateKind::ready, "only a Ready task is opened");
  ++ready.attempts;
  ++ready.counts.attempts;
  ready.state = Running{.worker = worker, .opened_at = now};

  Event started = event_of(ready, EventType::attempt_started);
  started.code = static_cast<std::int32_t>(ready.cause);
  events.push_back(std::move(started));
  if (ready.attempts > 1) {
    Event retry = event_of(ready, EventType::retry_started);
    retry.code = static_cast<std::int32_t>(ready.cause);
    retry.count = stage.retry.attempts_max();
    if (ready.feedback) retry.text = ready.feedback->summary;
    events.push_back(std::move(retry));
  }
  return ready;
}

Task wake(Task scheduled) {
  require(scheduled.kind() == StateKind::retry_scheduled, "only a scheduled retry wakes");
  scheduled.state = Ready{};
  return scheduled;
}

Step skip_by_choice(const Task& ready) {
  require(ready.kind() == StateKind::ready, "a condition is evaluated for a Ready task");
  Step step = step_from(ready);
  skip(step, SkipReason::by_choice);
  return step;
}

Result<Step> skip_by_hand(const StageDefinition& stage, const Task& task, const std::string& reason,
                          const std::string& by) {
  const std::string name =
      "stage '" + stage.name + (stage.scope == Scope::all ? "'" : "' of this item");
  switch (task.kind()) {
    case StateKind::ready:
    case StateKind::retry_scheduled:
    case StateKind::awaiting_review:
      break;
    case StateKind::waiting:
      return fail(ErrorCode::refused, name + " waits for the stages it needs",
                  "skip those, or wait until they have ended");
    case StateKind::running:
      return fail(ErrorCode::refused, name + " is running",
                  "wait until its attempt has ended, or cancel the item");
    case StateKind::expanded:
      return fail(ErrorCode::refused, name + " waits for its children", "skip the children");
    case StateKind::succeeded:
    case StateKind::skipped:
    case StateKind::failed:
    case StateKind::cancelled:
      return fail(ErrorCode::refused, name + " has ended already");
  }
  Step step = step_from(task);
  skip(step, SkipReason::by_choice);
  Event& skipped = step.events.back();
  skipped.text = reason;
  skipped.by = by;
  return step;
}

Step cancel(const Task& task, CancelCause cause) {
  require(may_move(task.kind(), StateKind::cancelled) && task.kind() != StateKind::running,
          "a task that runs or has ended is not cancelled by its own step");
  Step step = step_from(task);
  cancel(step, cause);
  return step;
}

}  // namespace pawl
