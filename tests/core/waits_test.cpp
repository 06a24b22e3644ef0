// Rate limits and interruptions: attempts that use no retry.

#include <gtest/gtest.h>

#include "core/given.hpp"
#include "pawl/core/decide.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;

/// Closes the open attempt and opens the next one when it is due.
Task go_on(const StageDefinition& stage, const Task& task, Attempt closed) {
  const auto* running = std::get_if<Running>(&task.state);
  closed.ended_at = running->opened_at + 1s;
  Step step = close(stage, task, std::move(closed));
  Timestamp due = step.closed->ended_at;
  if (const auto* later = std::get_if<RetryScheduled>(&step.next.state)) {
    due = later->next_run_at;
    step.next = wake(step.next);
  }
  std::vector<Event> events;
  return step.next.kind() == StateKind::ready ? open(stage, step.next, given::worker, due, events)
                                              : step.next;
}

TEST(RateLimit, twenty_hinted_waits_use_no_count) {
  const StageDefinition stage = given::stage(RetryPolicy::service());
  Task task = given::running_task();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(task.kind(), StateKind::running);
    task = go_on(stage, task, given::rate_limited(30s));
    EXPECT_EQ(task.cause, Cause::rate_limited);
  }
  EXPECT_EQ(task.counts.failures, 0U);
  EXPECT_EQ(task.counts.rate_limit_waits, 20U);
  EXPECT_EQ(task.attempts, 21U);
  EXPECT_EQ(task.round, 1U);
  const Task done = go_on(stage, task, given::success());
  EXPECT_EQ(done.state, TaskState(Succeeded{.attempt = 21}));
  EXPECT_EQ(done.counts.rate_limit_waits, 0U);
}

TEST(RateLimit, without_a_hint_it_stops_after_eight_with_the_backoff_in_between) {
  const StageDefinition stage = given::stage(RetryPolicy::service());
  Task task = given::running_task();
  int executions = 0;
  while (task.kind() == StateKind::running) {
    task = go_on(stage, task, given::rate_limited({}));
    ++executions;
  }
  EXPECT_EQ(executions, 8);
  EXPECT_EQ(task.state, TaskState(Failed{.cause = FailCause::exhausted}));
}

TEST(RateLimit, the_hint_is_the_time_of_the_next_attempt) {
  const Decision d = decide(given::stage(), given::rate_limited(90s));
  EXPECT_EQ(d.kind, DecisionKind::retry);
  EXPECT_EQ(d.rule, Rule::rate_limit_hint);
  EXPECT_EQ(d.next_run_at, given::noon + 10s + 90s);
}

TEST(RateLimit, too_many_waits_in_a_row_or_too_long_a_wait_is_exhausted) {
  RetryPolicy policy;
  policy.max_rate_limit_waits = 2;
  Attempt closed = given::rate_limited(1s);
  closed.counts_before.rate_limit_waits = 1;
  EXPECT_EQ(decide(given::stage(policy), closed).kind, DecisionKind::retry);
  closed.counts_before.rate_limit_waits = 2;
  const Decision often = decide(given::stage(policy), closed);
  EXPECT_EQ(often.kind, DecisionKind::fail);
  EXPECT_EQ(often.rule, Rule::rate_limit_waits_exhausted);
  EXPECT_EQ(often.fail_cause, FailCause::rate_limit);

  EXPECT_EQ(decide(given::stage(), given::rate_limited(24h)).kind, DecisionKind::retry);
  const Decision longer =
      decide(given::stage({}, ReviewPolicy::on_escalation), given::rate_limited(24h + 1us));
  EXPECT_EQ(longer.kind, DecisionKind::review);
  EXPECT_EQ(longer.rule, Rule::rate_limit_waits_exhausted);
}

TEST(RetryHint, is_the_least_delay_after_a_retryable_error_and_the_attempt_counts) {
  const StageDefinition stage =
      given::stage({.max_attempts = 3, .backoff = {.initial = 60s, .multiplier = 2.0}});
  Attempt closed = given::failure();
  closed.error->retry_after = 90s;
  const Decision longer = decide(stage, closed);
  EXPECT_EQ(longer.kind, DecisionKind::retry);
  EXPECT_EQ(longer.rule, Rule::retry_hint);
  EXPECT_EQ(longer.next_cause, Cause::error_retry);
  EXPECT_EQ(longer.next_run_at, given::noon + 10s + 90s);
  EXPECT_EQ(longer.counts.failures, 1U);
  EXPECT_EQ(longer.counts.attempts, 1U);
  EXPECT_EQ(longer.counts.rate_limit_waits, 0U);

  closed.counts_before = {.failures = 1, .attempts = 2};
  const Decision shorter = decide(stage, closed);
  EXPECT_EQ(shorter.rule, Rule::retry_after_failure) << "the backoff is 120 s by now";
  EXPECT_EQ(shorter.next_run_at, given::noon + 10s + 120s);

  closed.counts_before = {.failures = 2, .attempts = 3};
  EXPECT_EQ(decide(stage, closed).rule, Rule::exhausted_fails) << "a hint buys no attempt";
}

TEST(RetryHint, is_explained_and_a_negative_one_is_none) {
  const StageDefinition stage = given::stage({.max_attempts = 3});
  Attempt closed = given::failure();
  closed.error->retry_after = 90s;
  closed.decision = decide(stage, closed);
  EXPECT_EQ(explain(stage, closed), "max_attempts 1/3: retry in 90s as asked");
  closed.error->retry_after = -90s;
  EXPECT_EQ(decide(stage, closed).next_run_at, closed.ended_at);
}

TEST(RetryHint, longer_than_the_policy_allows_is_exhausted) {
  const StageDefinition stage = given::stage({.max_attempts = 3});
  Attempt closed = given::failure();
  closed.error->retry_after = 24h;
  EXPECT_EQ(decide(stage, closed).kind, DecisionKind::retry);
  closed.error->retry_after = 24h + 1us;
  closed.decision = decide(stage, closed);
  EXPECT_EQ(closed.decision.kind, DecisionKind::fail);
  EXPECT_EQ(explain(stage, closed), "asked to wait 86400s, longer than 86400s: exhausted, failed");
}

TEST(Interruption, uses_no_count_and_is_ready_again_at_once_with_its_feedback) {
  const StageDefinition stage = given::stage();
  Task task = given::running_task(2);
  task.feedback = Feedback{.summary = "too short"};
  Attempt closed = given::attempt(AttemptResult::interrupted);
  const Step step = close(stage, task, closed);
  EXPECT_EQ(step.next.kind(), StateKind::ready);
  EXPECT_EQ(step.next.cause, Cause::interrupted);
  EXPECT_EQ(step.next.feedback, task.feedback);
  EXPECT_EQ(step.next.round, task.round);
  EXPECT_EQ(step.next.counts.failures, 0U);
  EXPECT_EQ(step.next.counts.interruptions, 1U);
  EXPECT_FALSE(step.is_decision);
  EXPECT_EQ(step.closed->decision.rule, Rule::interrupted_again);
}

TEST(Interruption, a_graceful_stop_or_an_attempt_that_never_ran_proves_nothing_against_the_item) {
  RetryPolicy policy;
  policy.max_interruptions = 1;
  Attempt graceful = given::attempt(AttemptResult::interrupted);
  graceful.graceful = true;
  EXPECT_EQ(decide(given::stage(policy), graceful).rule, Rule::handed_back);
  EXPECT_EQ(decide(given::stage(policy), graceful).counts.interruptions, 0U);
  Attempt never_ran = given::attempt(AttemptResult::interrupted);
  never_ran.ran = false;
  EXPECT_EQ(decide(given::stage(policy), never_ran).rule, Rule::interrupted_again);
  EXPECT_EQ(decide(given::stage(policy), never_ran).counts.interruptions, 0U);
}

TEST(Interruption, after_the_limit_in_a_row_it_is_exhausted_and_zero_means_no_limit) {
  Attempt closed = given::attempt(AttemptResult::interrupted);
  closed.counts_before.interruptions = 18;
  EXPECT_EQ(decide(given::stage(), closed).kind, DecisionKind::retry);
  closed.counts_before.interruptions = 19;
  const Decision d = decide(given::stage(), closed);
  EXPECT_EQ(d.kind, DecisionKind::fail);
  EXPECT_EQ(d.rule, Rule::interruptions_exhausted);
  EXPECT_EQ(d.fail_cause, FailCause::interruptions);
  RetryPolicy unlimited;
  unlimited.max_interruptions = 0;
  EXPECT_EQ(decide(given::stage(unlimited), closed).kind, DecisionKind::retry);
}

// I15: a crash between two waits does not restart their series.
TEST(Interruption, any_other_close_breaks_its_row_and_it_breaks_none) {
  Attempt closed = given::rate_limited(1s);
  closed.counts_before.interruptions = 7;
  closed.counts_before.rate_limit_waits = 4;
  EXPECT_EQ(decide(given::stage(), closed).counts.interruptions, 0U);
  EXPECT_EQ(decide(given::stage(), closed).counts.rate_limit_waits, 5U);
  closed.result = AttemptResult::interrupted;
  EXPECT_EQ(decide(given::stage(), closed).counts.interruptions, 8U);
  EXPECT_EQ(decide(given::stage(), closed).counts.rate_limit_waits, 4U);
}

}  // namespace
}  // namespace pawl
