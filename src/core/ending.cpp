#include "core/ending.hpp"

#include <utility>

#include "pawl/core/needs.hpp"

namespace pawl {
namespace {

/// `on_failure` matters to a failed task only.
void end(Step& step, const TaskState& state, OnFailure on_failure = OnFailure::dead_letter) {
  step.next.state = state;
  step.next.feedback.reset();
  const Flow flow = satisfies(on_failure, state) ? Flow::satisfied : Flow::broken;
  step.flow = step.next.child ? Flow::none : flow;
}

}  // namespace

Step step_from(const Task& task) {
  Step step;
  step.was = task.kind();
  step.expected = task.version;
  step.next = task;
  return step;
}

Event event_of(const Task& task, EventType type) { return event_of(task, type, task.attempts); }

Event event_of(const Task& task, EventType type, AttemptNumber attempt) {
  Event event;
  event.type = type;
  event.job = task.job;
  event.item = task.item;
  event.task = task.id;
  event.attempt = attempt;
  return event;
}

Event finished_event(const Task& task, const Attempt& closed) {
  Event finished = event_of(task, EventType::attempt_finished);
  finished.code = static_cast<std::int32_t>(closed.result);
  const bool has_run = closed.started_at != no_time;
  finished.count = has_run ? (closed.ended_at - closed.started_at).count() : 0;
  return finished;
}

Event rerun_event(const StageDefinition& stage, const Task& task, Timestamp now) {
  Event event = event_of(task, EventType::retry_scheduled, task.attempts + 1);
  event.code = static_cast<std::int32_t>(task.cause);
  event.count = stage.retry.attempts_max();
  event.when = now;
  if (task.feedback) event.text = task.feedback->summary;
  return event;
}

void succeed(Step& step, Succeeded how) {
  step.events.push_back(event_of(step.next, EventType::task_succeeded, how.attempt));
  end(step, how);
}

void skip(Step& step, SkipReason reason) {
  Event event = event_of(step.next, EventType::task_skipped);
  event.code = static_cast<std::int32_t>(reason);
  step.events.push_back(std::move(event));
  end(step, Skipped{.reason = reason});
}

void fail(Step& step, const StageDefinition& stage, FailCause cause, std::string message) {
  Event failed = event_of(step.next, EventType::task_failed);
  failed.code = static_cast<std::int32_t>(cause);
  failed.text = std::move(message);
  step.events.push_back(std::move(failed));
  Event dead = event_of(step.next, EventType::item_dead_lettered);
  dead.code = static_cast<std::int32_t>(cause);
  dead.text = stage.name;
  step.events.push_back(std::move(dead));
  end(step, Failed{.cause = cause}, stage.on_failure);
  // The parent decides whether a failed child is tolerated; only the parent's failure stops the
  // job.
  step.stops_job = stage.on_failure == OnFailure::stop_job && !step.next.child;
}

void cancel(Step& step, CancelCause cause) {
  Event event = event_of(step.next, EventType::task_cancelled);
  event.code = static_cast<std::int32_t>(cause);
  step.events.push_back(std::move(event));
  end(step, Cancelled{.cause = cause});
}

bool is_joined(const StageDefinition& stage) {
  return !stage.gates.empty() || stage.joins || always_reviews(stage.review);
}

}  // namespace pawl
