#include "pawl/core/decide.hpp"

#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;

const RetryPolicy thrice{.max_attempts = 3, .backoff = {.initial = 60s}};

// The default budget is one attempt.
TEST(Decide, a_success_without_a_gate_completes_and_no_verdict_is_made_up) {
  const Decision d = decide(given::stage(), given::success());
  EXPECT_EQ(d.kind, DecisionKind::complete);
  EXPECT_EQ(d.rule, Rule::succeeded_without_gate);
  EXPECT_EQ(decide(given::stage(), given::judged(Verdict::accepted)).rule, Rule::accepted_by_gate);
}

TEST(Decide, a_retryable_error_is_tried_again_after_the_backoff) {
  const Decision d = decide(given::stage(thrice), given::failure());
  EXPECT_EQ(d.kind, DecisionKind::retry);
  EXPECT_EQ(d.rule, Rule::retry_after_failure);
  EXPECT_EQ(d.next_cause, Cause::error_retry);
  EXPECT_EQ(d.next_run_at, given::noon + 10s + 60s);
  EXPECT_EQ(d.counts.failures, 1U);
  EXPECT_FALSE(d.new_round);
}

// A timeout counts as a failed attempt.
TEST(Decide, a_timeout_is_tried_again_like_an_error) {
  const Decision d = decide(given::stage(thrice), given::timed_out());
  EXPECT_EQ(d.kind, DecisionKind::retry);
  EXPECT_EQ(d.next_cause, Cause::error_retry);
  EXPECT_EQ(d.counts.failures, 1U);
}

// `max_attempts` includes the first attempt.
TEST(Decide, with_one_attempt_the_first_failure_exhausts) {
  for (const Attempt& closed :
       {given::failure(), given::timed_out(), given::judged(Verdict::rejected)}) {
    const Decision d = decide(given::stage(), closed);
    EXPECT_EQ(d.kind, DecisionKind::fail);
    EXPECT_EQ(d.rule, Rule::exhausted_fails);
    EXPECT_EQ(d.fail_cause, FailCause::exhausted);
  }
}

TEST(Decide, a_rejection_is_refined_at_the_same_moment_with_a_new_round) {
  const Decision d = decide(given::stage(thrice), given::judged(Verdict::rejected));
  EXPECT_EQ(d.kind, DecisionKind::retry);
  EXPECT_EQ(d.rule, Rule::refine_after_rejection);
  EXPECT_EQ(d.next_cause, Cause::gate_feedback);
  EXPECT_EQ(d.next_run_at, given::noon + 10s);
  EXPECT_EQ(d.counts.rejections, 1U);
  EXPECT_EQ(d.counts.failures, 0U);
  EXPECT_TRUE(d.new_round);
}

TEST(Decide, a_rejection_waits_where_the_policy_asks_for_it) {
  RetryPolicy policy = thrice;
  policy.refine_delay = 5s;
  EXPECT_EQ(decide(given::stage(policy), given::judged(Verdict::rejected)).next_run_at,
            given::noon + 15s);
}

TEST(Decide, one_count_adds_failures_and_rejections) {
  Attempt closed = given::judged(Verdict::rejected);
  closed.counts_before = {.failures = 1, .rejections = 1, .attempts = 3};
  EXPECT_EQ(decide(given::stage(thrice), closed).rule, Rule::exhausted_fails);
  closed.counts_before = {.failures = 1, .attempts = 2};
  EXPECT_EQ(decide(given::stage(thrice), closed).kind, DecisionKind::retry);
}

TEST(Decide, separate_caps_count_separately_and_a_missing_one_is_one) {
  RetryPolicy policy;
  policy.refine_attempts = 3;
  const StageDefinition stage = given::stage(policy);
  EXPECT_EQ(policy.attempts_max(), 3U);
  EXPECT_EQ(decide(stage, given::failure()).kind, DecisionKind::fail);
  Attempt closed = given::judged(Verdict::rejected);
  closed.counts_before = {.rejections = 1, .attempts = 2};
  EXPECT_EQ(decide(stage, closed).kind, DecisionKind::retry);
  closed.counts_before = {.rejections = 2, .attempts = 3};
  EXPECT_EQ(decide(stage, closed).kind, DecisionKind::fail);
}

// `max_attempts_per_task` caps an epoch on top of the stage's policy.
TEST(Decide, the_jobs_cap_on_attempts_per_task_ends_what_the_policy_would_go_on_with) {
  Attempt closed = given::failure();
  closed.counts_before = {.failures = 1, .attempts = 5};
  closed.attempts_cap = 5;
  const StageDefinition stage = given::stage(RetryPolicy::service());
  EXPECT_EQ(decide(stage, closed).rule, Rule::exhausted_fails);
  closed.attempts_cap = 6;
  EXPECT_EQ(decide(stage, closed).kind, DecisionKind::retry);
}

TEST(Decide, a_final_error_fails_and_is_never_escalated) {
  RetryPolicy policy = RetryPolicy::service();
  policy.on_exhausted = OnExhausted::escalate;
  const Decision d =
      decide(given::stage(policy, ReviewPolicy::always), given::failure(ErrorClass::final));
  EXPECT_EQ(d.kind, DecisionKind::fail);
  EXPECT_EQ(d.rule, Rule::final_error);
  EXPECT_EQ(d.fail_cause, FailCause::final_error);
}

TEST(Decide, what_is_blocked_waits_for_a_person) {
  for (const Attempt& closed :
       {given::attempt(AttemptResult::blocked), given::failure(ErrorClass::blocked)}) {
    const Decision d = decide(given::stage(thrice), closed);
    EXPECT_EQ(d.kind, DecisionKind::review);
    EXPECT_EQ(d.review_reason, ReviewReason::blocked);
  }
}

TEST(Decide, a_stage_may_skip_ask_for_review_or_expand) {
  const StageDefinition stage = given::stage({}, ReviewPolicy::always);
  EXPECT_EQ(decide(stage, given::attempt(AttemptResult::skipped)).kind, DecisionKind::skip);
  EXPECT_EQ(decide(stage, given::attempt(AttemptResult::expanded)).kind, DecisionKind::expand);
  const Decision d = decide(given::stage(), given::attempt(AttemptResult::needs_review));
  EXPECT_EQ(d.kind, DecisionKind::review);
  EXPECT_EQ(d.review_reason, ReviewReason::requested);
}

TEST(Decide, uncertain_asks_a_person_whatever_budget_is_left) {
  const Decision d = decide(given::stage(thrice), given::judged(Verdict::uncertain));
  EXPECT_EQ(d.kind, DecisionKind::review);
  EXPECT_EQ(d.review_reason, ReviewReason::uncertain);
  EXPECT_EQ(d.counts.rejections, 0U);
}

// A gate that cannot run is never an acceptance.
TEST(Decide, a_gate_error_is_a_failure_that_keeps_the_round) {
  Attempt closed = given::failure();
  closed.error->kind = ErrorKind::gate;
  closed.output = Json("kept");
  const Decision d = decide(given::stage(thrice), closed);
  EXPECT_EQ(d.kind, DecisionKind::retry);
  EXPECT_EQ(d.next_cause, Cause::error_retry);
  EXPECT_EQ(d.counts.failures, 1U);
  EXPECT_FALSE(d.new_round);
  EXPECT_EQ(decide(given::stage(thrice), given::timed_out("gate_timeout")).kind,
            DecisionKind::retry);
}

TEST(Decide, an_invalid_output_wants_new_work) {
  Attempt closed = given::failure();
  closed.error->kind = ErrorKind::protocol;
  EXPECT_TRUE(decide(given::stage(thrice), closed).new_round);
}

TEST(Decide, a_cancel_in_force_outweighs_every_result) {
  for (int result = 1; result <= 9; ++result) {
    Attempt closed = given::attempt(static_cast<AttemptResult>(result));
    closed.cancelled_by = CancelCause::deadline;
    const Decision d = decide(given::stage(thrice), closed);
    EXPECT_EQ(d.kind, DecisionKind::cancel);
    EXPECT_EQ(d.rule, Rule::cancelled);
    EXPECT_EQ(d.cancel_cause, CancelCause::deadline);
  }
}

TEST(Decide, a_join_that_breaks_is_joined_again_but_a_rejected_one_starts_over) {
  Attempt closed = given::failure();
  closed.cause = Cause::join;
  EXPECT_EQ(decide(given::stage(thrice), closed).next_cause, Cause::join);
  closed = given::attempt(AttemptResult::interrupted);
  closed.cause = Cause::join;
  EXPECT_EQ(decide(given::stage(thrice), closed).next_cause, Cause::join);
  closed = given::judged(Verdict::rejected);
  closed.cause = Cause::join;
  EXPECT_EQ(decide(given::stage(thrice), closed).next_cause, Cause::gate_feedback);
}

// I6
TEST(Decide, the_same_record_gives_the_same_decision) {
  Attempt closed = given::failure();
  closed.decision = decide(given::stage(thrice), closed);
  EXPECT_EQ(decide(given::stage(thrice), closed), closed.decision);
}

}  // namespace
}  // namespace pawl
