#include <utility>

#include "core/ending.hpp"
#include "core/record_text.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/step.hpp"

namespace pawl {
namespace {

constexpr std::string_view exhausted_text = "Retry budget exhausted";

/// Copies into the record what the task knows about its open attempt.
void complete_record(const Task& task, const Running& running, Attempt& closed) {
  closed.task = task.id;
  closed.number = task.attempts;
  closed.epoch = task.epoch;
  closed.round = task.round;
  closed.cause = task.cause;
  closed.worker = running.worker;
  closed.opened_at = running.opened_at;
  if (closed.ran && closed.started_at == no_time) closed.started_at = running.opened_at;
  closed.counts_before = task.counts;
}

std::string error_message(const Attempt& closed) {
  return closed.error ? closed.error->message : std::string{};
}

std::string failure_message(const Attempt& closed) {
  const Decision& decision = closed.decision;
  if (!decision.reason.empty()) return decision.reason;
  if (decision.fail_cause == FailCause::interruptions) {
    return "interrupted " + std::to_string(decision.counts.interruptions) + " times in a row";
  }
  if (std::string message = error_message(closed); !message.empty()) return message;
  return decision.fail_cause == FailCause::exhausted ? std::string(exhausted_text) : std::string{};
}

std::string escalation_text(const Attempt& closed) {
  if (!closed.decision.reason.empty()) return closed.decision.reason;
  switch (closed.decision.review_reason) {
    case ReviewReason::exhausted:
      return std::string(exhausted_text);
    case ReviewReason::uncertain:
      return closed.verdict_reason;
    case ReviewReason::blocked:
      return error_message(closed);
    case ReviewReason::policy:
    case ReviewReason::requested:
      return {};
  }
  return {};
}

void tell_of_attempt(Step& step, const Attempt& closed) {
  Event finished = finished_event(step.next, closed);
  finished.text = error_message(closed);
  step.events.push_back(std::move(finished));
  if (!closed.verdict) return;
  switch (*closed.verdict) {
    case Verdict::accepted: {
      Event accepted = event_of(step.next, EventType::gate_accepted);
      accepted.text = summary_of(closed.assessments);
      step.events.push_back(std::move(accepted));
      return;
    }
    case Verdict::rejected: {
      Event rejected = event_of(step.next, EventType::gate_rejected);
      if (closed.feedback) rejected.text = closed.feedback->summary;
      step.events.push_back(std::move(rejected));
      return;
    }
    case Verdict::uncertain: {
      Event uncertain = event_of(step.next, EventType::gate_uncertain);
      uncertain.text = closed.verdict_reason;
      step.events.push_back(std::move(uncertain));
      return;
    }
  }
}

/// Whether the next attempt repeats the same work, with the feedback that this one was given.
bool repeats_the_same(const Attempt& closed) {
  return closed.result == AttemptResult::interrupted ||
         (closed.result == AttemptResult::failure && closed.error &&
          closed.error->error_class == ErrorClass::rate_limited);
}

void schedule_retry(Step& step, const StageDefinition& stage, const Attempt& closed) {
  const Decision& decision = closed.decision;
  Task& next = step.next;
  next.cause = decision.next_cause;
  if (decision.new_round) ++next.round;
  if (!repeats_the_same(closed)) next.feedback = closed.feedback;
  if (decision.next_run_at <= closed.ended_at) {
    next.state = Ready{};
  } else {
    next.state = RetryScheduled{.next_run_at = decision.next_run_at};
  }
  Event event = event_of(next, EventType::retry_scheduled, next.attempts + 1);
  event.code = static_cast<std::int32_t>(decision.next_cause);
  event.count = stage.retry.attempts_max();
  event.when = decision.next_run_at;
  if (next.feedback) event.text = next.feedback->summary;
  step.events.push_back(std::move(event));
}

bool is_escalation(ReviewReason reason) {
  switch (reason) {
    case ReviewReason::uncertain:
    case ReviewReason::blocked:
    case ReviewReason::exhausted:
      return true;
    case ReviewReason::policy:
    case ReviewReason::requested:
      return false;
  }
  return false;
}

void ask_a_person(Step& step, const Attempt& closed) {
  const ReviewReason reason = closed.decision.review_reason;
  Task& next = step.next;
  next.state = AwaitingReview{.reason = reason};
  next.feedback.reset();
  Review draft;
  draft.job = next.job;
  draft.item = next.item;
  draft.task = next.id;
  draft.epoch = next.epoch;
  draft.reason = reason;
  draft.attempt = closed.number;
  step.review = std::move(draft);
  if (is_escalation(reason)) {
    Event escalated = event_of(next, EventType::escalated);
    escalated.code = static_cast<std::int32_t>(reason);
    escalated.text = escalation_text(closed);
    step.events.push_back(std::move(escalated));
  }
  Event requested = event_of(next, EventType::review_requested);
  requested.code = static_cast<std::int32_t>(reason);
  step.events.push_back(std::move(requested));
}

void expand(Step& step, const StageDefinition& stage, std::vector<NewChild> children) {
  Task& next = step.next;
  const auto count = static_cast<std::int64_t>(children.size());
  ++next.expansion;
  next.feedback.reset();
  Event event = event_of(next, EventType::task_expanded);
  event.count = count;
  step.events.push_back(std::move(event));
  step.children = std::move(children);
  if (count > 0) {
    next.state = Expanded{.children = count, .open = count, .failed = 0};
  } else if (is_joined(stage)) {
    // No children: they have all ended already.
    next.state = Ready{};
    next.cause = Cause::join;
  } else {
    succeed(step, {.attempt = next.attempts, .edited_by = {}});
  }
}

void apply(Step& step, const StageDefinition& stage, const Attempt& closed,
           std::vector<NewChild> children) {
  const Decision& decision = closed.decision;
  switch (decision.kind) {
    case DecisionKind::complete:
      return succeed(step, {.attempt = closed.number, .edited_by = {}});
    case DecisionKind::retry:
      return schedule_retry(step, stage, closed);
    case DecisionKind::review:
      return ask_a_person(step, closed);
    case DecisionKind::fail:
      return fail(step, stage, decision.fail_cause, failure_message(closed));
    case DecisionKind::skip:
      return skip(step, SkipReason::by_choice);
    case DecisionKind::expand:
      return expand(step, stage, std::move(children));
    case DecisionKind::cancel:
      return cancel(step, decision.cancel_cause);
  }
}

}  // namespace

StageDefinition policies_of_child(StageDefinition stage) {
  stage.gates.clear();
  if (always_reviews(stage.review)) stage.review = ReviewPolicy::never;
  stage.on_failure = OnFailure::dead_letter;
  return stage;
}

Step close(const StageDefinition& of_stage, const Task& task, Attempt closed,
           std::vector<NewChild> children, const Advice* advice) {
  std::optional<StageDefinition> of_child;
  if (task.child) of_child = policies_of_child(of_stage);
  const StageDefinition& stage = of_child ? *of_child : of_stage;

  const auto* running = std::get_if<Running>(&task.state);
  require(running != nullptr, "only a Running task has an attempt to close");
  require(advice == nullptr || !closed.decider.empty(),
          "advice is recorded with the name of its decider");

  make_text_valid(closed);
  for (NewChild& child : children) make_text_valid(child);
  complete_record(task, *running, closed);
  if (!closed.feedback) closed.feedback = synthesised_feedback(stage, closed);
  closed.decision =
      advice == nullptr ? decide(stage, closed) : decide_as_advised(stage, closed, *advice);

  Step step = step_from(task);
  step.next.counts = closed.decision.counts;
  step.is_decision = closed.result != AttemptResult::interrupted;
  step.events.reserve(3);
  tell_of_attempt(step, closed);
  apply(step, stage, closed, std::move(children));
  step.closed = std::move(closed);
  require(may_move(step.was, step.next.kind()),
          "a closed attempt makes a move that the table allows");
  return step;
}

}  // namespace pawl
