#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using enum EventType;

const RetryPolicy thrice{.max_attempts = 3, .backoff = {.initial = 60s}};

// Everything the task knows is in the record.
TEST(Close, fills_the_record_from_the_task) {
  Task task = given::running_task(4);
  task.epoch = 2;
  task.round = 3;
  task.cause = Cause::gate_feedback;
  task.counts = {.failures = 1, .rejections = 1, .attempts = 4};
  Attempt closed;
  closed.ended_at = given::noon + 5s;
  closed.output = Json("done");
  const Step step = close(given::stage(thrice), task, closed);
  ASSERT_TRUE(step.closed);
  EXPECT_EQ(step.closed->task, task.id);
  EXPECT_EQ(step.closed->number, 4U);
  EXPECT_EQ(step.closed->epoch, 2U);
  EXPECT_EQ(step.closed->round, 3U);
  EXPECT_EQ(step.closed->cause, Cause::gate_feedback);
  EXPECT_EQ(step.closed->worker, given::worker);
  EXPECT_EQ(step.closed->opened_at, given::noon);
  EXPECT_EQ(step.closed->started_at, given::noon);
  EXPECT_EQ(step.closed->counts_before, task.counts);
  EXPECT_EQ(step.was, StateKind::running);
  EXPECT_EQ(step.expected, task.version);
  EXPECT_TRUE(step.is_decision);
}

TEST(Close, a_success_without_a_gate_makes_no_quality_event) {
  const Step step = close(given::stage(), given::running_task(), given::success());
  EXPECT_EQ(step.next.state, TaskState(Succeeded{.attempt = 1}));
  EXPECT_EQ(step.flow, Flow::satisfied);
  EXPECT_THAT(given::types_of(step.events), ElementsAre(attempt_finished, task_succeeded));
  EXPECT_FALSE(step.closed->verdict);
}

TEST(Close, an_accepted_output_tells_of_the_gate) {
  const Step step = close(given::stage(), given::running_task(), given::judged(Verdict::accepted));
  EXPECT_THAT(given::types_of(step.events),
              ElementsAre(attempt_finished, gate_accepted, task_succeeded));
  EXPECT_EQ(step.closed->verdict, Verdict::accepted);
  EXPECT_FALSE(step.closed->feedback);
}

TEST(Close, the_event_of_an_accepting_gate_has_its_summary) {
  const auto summary_in_event = [](std::vector<Assessment> assessments) {
    Attempt closed = given::judged(Verdict::accepted);
    closed.assessments = std::move(assessments);
    const Step step = close(given::stage(), given::running_task(), closed);
    EXPECT_EQ(step.closed->assessments, closed.assessments);
    EXPECT_EQ(step.events.at(1).type, gate_accepted);
    return step.events.at(1).text;
  };
  const Assessment structure{.gate = "structure", .summary = "4 of 4 criteria met"};
  const Assessment style{.gate = "style", .summary = "plain words"};
  const Assessment advice{.gate = "advice", .advisory = true, .summary = "could be shorter"};
  const Assessment silent{.gate = "types"};
  EXPECT_EQ(summary_in_event({}), "");
  EXPECT_EQ(summary_in_event({silent, structure, advice}), "4 of 4 criteria met");
  EXPECT_EQ(summary_in_event({structure, style}),
            "structure: 4 of 4 criteria met; style: plain words");
}

TEST(Close, a_rejected_output_is_ready_again_with_the_gates_feedback) {
  const Step step =
      close(given::stage(thrice), given::running_task(), given::judged(Verdict::rejected));
  EXPECT_EQ(step.next.kind(), StateKind::ready);
  EXPECT_EQ(step.next.round, 2U);
  EXPECT_EQ(step.next.cause, Cause::gate_feedback);
  ASSERT_TRUE(step.next.feedback);
  EXPECT_EQ(step.next.feedback->summary, "too short");
  EXPECT_EQ(step.closed->verdict, Verdict::rejected);
  EXPECT_EQ(step.closed->feedback, step.next.feedback);
  EXPECT_EQ(step.flow, Flow::none);
  ASSERT_THAT(given::types_of(step.events),
              ElementsAre(attempt_finished, gate_rejected, retry_scheduled));
  EXPECT_EQ(step.events[1].text, "too short");
  EXPECT_EQ(step.events[2].attempt, 2U);
  EXPECT_EQ(step.events[2].count, 3);
  EXPECT_EQ(step.events[2].code, static_cast<int>(Cause::gate_feedback));
  EXPECT_EQ(step.events[2].when, given::noon + 10s);
  EXPECT_EQ(step.events[2].text, "too short");
}

TEST(Close, a_timeout_schedules_a_row_and_synthesises_feedback) {
  RetryPolicy policy = thrice;
  policy.attempt_timeout = 120s;
  const Step step = close(given::stage(policy), given::running_task(), given::timed_out());
  EXPECT_EQ(step.next.state, TaskState(RetryScheduled{.next_run_at = given::noon + 70s}));
  ASSERT_TRUE(step.next.feedback);
  EXPECT_EQ(step.next.feedback->summary, "attempt timed out after 120000ms");
  EXPECT_EQ(step.closed->feedback, step.next.feedback);
  EXPECT_THAT(given::types_of(step.events), ElementsAre(attempt_finished, retry_scheduled));
}

TEST(Close, a_gate_that_hangs_is_named_and_the_output_is_kept) {
  RetryPolicy policy = thrice;
  policy.attempt_timeout = 120s;
  policy.gate_timeout = 1500ms;
  Attempt closed = given::timed_out("gate_timeout");
  closed.output = Json("draft");
  const Step step = close(given::stage(policy), given::running_task(), closed);
  EXPECT_EQ(step.next.feedback->summary, "gate timed out after 1500ms");
  EXPECT_EQ(step.closed->output, Json("draft"));
}

TEST(Close, a_gate_with_a_timeout_of_its_own_is_told_with_it) {
  RetryPolicy policy = thrice;
  policy.gate_timeout = 1500ms;
  StageDefinition stage = given::stage(policy);
  stage.gates = {{.name = "quick", .timeout = 200ms}, {.name = "other"}};
  for (const auto& [gate, told] : {std::pair("quick", "gate 'quick' timed out after 200ms"),
                                   std::pair("other", "gate 'other' timed out after 1500ms"),
                                   std::pair("gone", "gate timed out after 1500ms")}) {
    Attempt closed = given::timed_out("gate_timeout");
    closed.error->details = details_of_overrun({.name = gate});
    const Step step = close(stage, given::running_task(), closed);
    EXPECT_EQ(step.next.feedback->summary, told);
  }
}

TEST(Close, an_error_is_told_to_the_next_attempt) {
  const Step step = close(given::stage(thrice), given::running_task(), given::failure());
  EXPECT_EQ(step.next.feedback->summary, "Error: connection refused");
  EXPECT_EQ(step.events[0].text, "connection refused");
  EXPECT_EQ(step.events[0].code, static_cast<int>(AttemptResult::failure));
}

TEST(Close, a_rate_limit_keeps_the_feedback_it_was_given) {
  Task task = given::running_task(2);
  task.feedback = Feedback{.summary = "too short"};
  for (const std::optional<Duration> hint : {std::optional<Duration>{30s}, {}}) {
    const Step step = close(given::stage(thrice), task, given::rate_limited(hint));
    EXPECT_EQ(step.next.feedback, task.feedback);
    EXPECT_EQ(step.next.cause, Cause::rate_limited);
  }
}

TEST(Close, exhausted_with_fail_is_a_dead_letter) {
  Task task = given::running_task();
  task.feedback = Feedback{.summary = "too short"};
  const Step step = close(given::stage(), task, given::judged(Verdict::rejected));
  EXPECT_EQ(step.next.state, TaskState(Failed{.cause = FailCause::exhausted}));
  EXPECT_EQ(step.flow, Flow::broken);
  EXPECT_FALSE(step.next.feedback);
  ASSERT_THAT(given::types_of(step.events),
              ElementsAre(attempt_finished, gate_rejected, task_failed, item_dead_lettered));
  EXPECT_EQ(step.events[2].text, "Retry budget exhausted");
  EXPECT_EQ(step.events[2].code, static_cast<int>(FailCause::exhausted));
  EXPECT_EQ(step.events[3].text, "scan");
}

TEST(Close, exhausted_with_escalate_asks_a_person) {
  const Step step = close(given::stage({.on_exhausted = OnExhausted::escalate}),
                          given::running_task(2), given::timed_out());
  EXPECT_EQ(step.next.state, TaskState(AwaitingReview{.reason = ReviewReason::exhausted}));
  ASSERT_TRUE(step.review);
  EXPECT_EQ(step.review->reason, ReviewReason::exhausted);
  EXPECT_EQ(step.review->attempt, 2U);
  EXPECT_EQ(step.review->task, step.next.id);
  ASSERT_THAT(given::types_of(step.events),
              ElementsAre(attempt_finished, escalated, review_requested));
  EXPECT_EQ(step.events[1].text, "Retry budget exhausted");
}

TEST(Close, uncertain_escalates_with_its_reason) {
  const Step step =
      close(given::stage(), given::running_task(), given::judged(Verdict::uncertain, "two dates"));
  ASSERT_THAT(given::types_of(step.events),
              ElementsAre(attempt_finished, gate_uncertain, escalated, review_requested));
  EXPECT_EQ(step.events[1].text, "two dates");
  EXPECT_EQ(step.events[2].text, "two dates");
  EXPECT_EQ(step.closed->verdict, Verdict::uncertain);
  EXPECT_EQ(step.closed->verdict_reason, "two dates");
}

// A review under `always` is not an escalation.
TEST(Close, review_always_requests_without_escalating) {
  const Step step = close(given::stage({}, ReviewPolicy::always), given::running_task(),
                          given::judged(Verdict::accepted));
  EXPECT_THAT(given::types_of(step.events),
              ElementsAre(attempt_finished, gate_accepted, review_requested));
  EXPECT_EQ(step.closed->decision.rule, Rule::review_always);
}

TEST(Close, a_blocked_attempt_escalates_with_what_it_needs) {
  const Step step = close(given::stage(), given::running_task(),
                          given::failure(ErrorClass::blocked, "needs a licence"));
  ASSERT_THAT(given::types_of(step.events),
              ElementsAre(attempt_finished, escalated, review_requested));
  EXPECT_EQ(step.events[1].text, "needs a licence");
}

TEST(Close, what_a_failure_means_downstream_is_the_stages_policy) {
  StageDefinition stage = given::stage();
  const Attempt broken = given::failure(ErrorClass::final, "no such file");
  const Step plain = close(stage, given::running_task(), broken);
  EXPECT_EQ(plain.flow, Flow::broken);
  EXPECT_FALSE(plain.stops_job);
  EXPECT_EQ(plain.events[1].text, "no such file");
  stage.on_failure = OnFailure::proceed;
  EXPECT_EQ(close(stage, given::running_task(), broken).flow, Flow::satisfied);
  stage.on_failure = OnFailure::stop_job;
  const Step stopping = close(stage, given::running_task(), broken);
  EXPECT_TRUE(stopping.stops_job);
  EXPECT_EQ(stopping.flow, Flow::broken);
}

TEST(Close, the_end_of_a_child_means_nothing_downstream_by_itself) {
  StageDefinition stage = given::stage();
  stage.on_failure = OnFailure::stop_job;
  Task child = given::running_task();
  child.child = ChildPart{.parent = TaskId{9}, .expansion = 1, .key = "page-1", .data = {}};
  EXPECT_EQ(close(stage, child, given::success()).flow, Flow::none);
  const Step failed = close(stage, child, given::failure(ErrorClass::final));
  EXPECT_EQ(failed.flow, Flow::none);
  EXPECT_FALSE(failed.stops_job);
}

TEST(Close, after_a_cancel_the_result_is_recorded_and_not_applied) {
  Attempt closed = given::success();
  closed.cancelled_by = CancelCause::requested;
  const Step step = close(given::stage(), given::running_task(), closed);
  EXPECT_EQ(step.next.state, TaskState(Cancelled{.cause = CancelCause::requested}));
  EXPECT_EQ(step.flow, Flow::broken);
  EXPECT_EQ(step.closed->result, AttemptResult::success);
  EXPECT_EQ(step.closed->output, closed.output);
  EXPECT_THAT(given::types_of(step.events), ElementsAre(attempt_finished, task_cancelled));
}

TEST(Close, a_stage_that_skips_satisfies_its_dependents) {
  const Step step =
      close(given::stage(), given::running_task(), given::attempt(AttemptResult::skipped));
  EXPECT_EQ(step.next.state, TaskState(Skipped{.reason = SkipReason::by_choice}));
  EXPECT_EQ(step.flow, Flow::satisfied);
}

TEST(Open, numbers_the_attempt_and_tells_of_a_retry_before_its_code_runs) {
  std::vector<Event> events;
  const StageDefinition stage = given::stage(thrice);
  const Task first = open(stage, given::ready_task(), given::worker, given::noon, events);
  EXPECT_EQ(first.attempts, 1U);
  EXPECT_EQ(first.counts.attempts, 1U);
  EXPECT_EQ(first.state, TaskState(Running{.worker = given::worker, .opened_at = given::noon}));
  EXPECT_THAT(given::types_of(events), ElementsAre(attempt_started));

  events.clear();
  const Step step = close(stage, first, given::judged(Verdict::rejected));
  const Task second = open(stage, step.next, given::worker, given::noon, events);
  EXPECT_EQ(second.attempts, 2U);
  ASSERT_THAT(given::types_of(events), ElementsAre(attempt_started, retry_started));
  EXPECT_EQ(events[0].code, static_cast<int>(Cause::gate_feedback));
  EXPECT_EQ(events[1].count, 3);
  EXPECT_EQ(events[1].text, "too short");
}

TEST(Open, a_scheduled_retry_wakes_and_keeps_its_counts) {
  Task scheduled = given::in_state(RetryScheduled{.next_run_at = given::noon});
  scheduled.counts.failures = 2;
  const Task woken = wake(scheduled);
  EXPECT_EQ(woken.kind(), StateKind::ready);
  EXPECT_EQ(woken.counts.failures, 2U);
}

TEST(Open, a_false_condition_skips_without_an_attempt) {
  const Step step = skip_by_choice(given::ready_task());
  EXPECT_EQ(step.was, StateKind::ready);
  EXPECT_EQ(step.next.attempts, 0U);
  EXPECT_FALSE(step.closed);
  EXPECT_EQ(step.flow, Flow::satisfied);
  EXPECT_THAT(given::types_of(step.events), ElementsAre(task_skipped));
}

TEST(Open, an_operator_cancels_what_is_not_running) {
  const Step step = cancel(given::in_state(AwaitingReview{}), CancelCause::requested);
  EXPECT_EQ(step.next.state, TaskState(Cancelled{.cause = CancelCause::requested}));
  EXPECT_EQ(step.flow, Flow::broken);
  EXPECT_THAT(given::types_of(step.events), ElementsAre(task_cancelled));
}

TEST(OpenDeathTest, what_runs_cannot_be_opened_and_what_waits_cannot_be_closed) {
  std::vector<Event> events;
  EXPECT_DEATH(
      (void)open(given::stage(), given::running_task(), given::worker, given::noon, events),
      "only a Ready task is opened");
  EXPECT_DEATH((void)close(given::stage(), given::ready_task(), given::success()),
               "only a Running task has an attempt to close");
}

}  // namespace
}  // namespace pawl
