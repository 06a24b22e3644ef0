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

Step cancel(const Task& task, CancelCause cause) {
  require(may_move(task.kind(), StateKind::cancelled) && task.kind() != StateKind::running,
          "a task that runs or has ended is not cancelled by its own step");
  Step step = step_from(task);
  cancel(step, cause);
  return step;
}

}  // namespace pawl
