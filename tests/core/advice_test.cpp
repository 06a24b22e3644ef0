// Custom deciders.

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "core/given.hpp"
#include "pawl/core/decide.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;

/// The seed's example, as a user would write it: 2^attempts seconds, capped at a minute.
Advice seeds_decider(const Attempt& closed, std::uint32_t max_attempts) {
  if (closed.result == AttemptResult::success && closed.verdict != Verdict::rejected) {
    return MarkDead{.reason = "Decider called on success"};
  }
  if (closed.number >= max_attempts) {
    return MarkDead{.reason = "Max attempts (" + std::to_string(max_attempts) + ") exceeded"};
  }
  const auto seconds = std::min<std::int64_t>(60, std::int64_t{1} << closed.number);
  return Retry{.delay = std::chrono::seconds(seconds),
               .reason = "Retry " + std::to_string(closed.number) + " of " +
                         std::to_string(max_attempts) + " after " + std::to_string(seconds) + "s"};
}

StageDefinition with_decider() {
  StageDefinition stage = given::stage();
  stage.decider = "doubling";
  return stage;
}

Step advised(const StageDefinition& stage, const Task& task, Attempt closed, const Advice& advice) {
  closed.decider = stage.decider;
  return close(stage, task, std::move(closed), {}, &advice);
}

TEST(Advice, the_seeds_decider_retries_with_its_own_delays_and_then_marks_dead) {
  const StageDefinition stage = with_decider();
  Task task = given::running_task();
  std::vector<std::string> reasons;
  while (task.kind() == StateKind::running) {
    Attempt closed = given::failure();
    closed.number = task.attempts;
    const Step step = advised(stage, task, closed, seeds_decider(closed, 3));
    reasons.push_back(step.closed->decision.reason);
    EXPECT_EQ(step.closed->decision.rule, Rule::custom_decider);
    EXPECT_EQ(step.closed->decider, "doubling");
    task = step.next;
    if (task.kind() == StateKind::retry_scheduled) {
      std::vector<Event> events;
      task = open(stage, wake(task), given::worker, given::noon, events);
    }
  }
  EXPECT_EQ(reasons, (std::vector<std::string>{"Retry 1 of 3 after 2s", "Retry 2 of 3 after 4s",
                                               "Max attempts (3) exceeded"}));
  EXPECT_EQ(task.state, TaskState(Failed{.cause = FailCause::marked_dead}));
  EXPECT_EQ(task.counts.failures, 3U);
}

// A success is never put to a decider.
TEST(Advice, only_failures_timeouts_blocked_and_rejections_are_put_to_a_decider) {
  EXPECT_TRUE(is_put_to_decider(given::failure()));
  EXPECT_TRUE(is_put_to_decider(given::timed_out()));
  EXPECT_TRUE(is_put_to_decider(given::attempt(AttemptResult::blocked)));
  EXPECT_TRUE(is_put_to_decider(given::judged(Verdict::rejected)));
  EXPECT_FALSE(is_put_to_decider(given::success()));
  EXPECT_FALSE(is_put_to_decider(given::judged(Verdict::accepted)));
  EXPECT_FALSE(is_put_to_decider(given::judged(Verdict::uncertain)));
  EXPECT_FALSE(is_put_to_decider(given::attempt(AttemptResult::interrupted)));
  Attempt cancelled = given::failure();
  cancelled.cancelled_by = CancelCause::requested;
  EXPECT_FALSE(is_put_to_decider(cancelled));
  EXPECT_EQ(decide_as_advised(with_decider(), given::success(), MarkDead{.reason = "no"}),
            decide(with_decider(), given::success()));
}

TEST(Advice, escalate_asks_a_person_with_the_deciders_words) {
  const Step step = advised(with_decider(), given::running_task(), given::failure(),
                            Escalate{.reason = "looks odd"});
  EXPECT_EQ(step.next.state, TaskState(AwaitingReview{.reason = ReviewReason::exhausted}));
  const auto escalated = std::ranges::find(step.events, EventType::escalated, &Event::type);
  ASSERT_NE(escalated, step.events.end());
  EXPECT_EQ(escalated->text, "looks odd");
  const Attempt blocked = given::attempt(AttemptResult::blocked);
  EXPECT_EQ(decide_as_advised(with_decider(), blocked, Escalate{}).review_reason,
            ReviewReason::blocked);
}

TEST(Advice, accept_needs_an_output_and_still_asks_where_review_is_always) {
  const Attempt rejected = given::judged(Verdict::rejected);
  EXPECT_EQ(decide_as_advised(with_decider(), rejected, Accept{}).kind, DecisionKind::complete);
  StageDefinition reviewed = with_decider();
  reviewed.review = ReviewPolicy::always;
  EXPECT_EQ(decide_as_advised(reviewed, rejected, Accept{}).review_reason, ReviewReason::policy);
  const Decision refused = decide_as_advised(with_decider(), given::failure(), Accept{});
  EXPECT_EQ(refused.rule, Rule::exhausted_fails);
}

TEST(Advice, a_decider_that_always_retries_is_ended_by_the_jobs_cap) {
  Attempt closed = given::failure();
  closed.counts_before = {.failures = 4, .attempts = 5};
  closed.attempts_cap = 5;
  EXPECT_EQ(decide_as_advised(with_decider(), closed, Retry{}).rule, Rule::exhausted_fails);
  closed.attempts_cap = 6;
  EXPECT_EQ(decide_as_advised(with_decider(), closed, Retry{}).kind, DecisionKind::retry);
}

TEST(Advice, a_retry_without_delay_is_ready_at_once) {
  const Step step =
      advised(with_decider(), given::running_task(), given::failure(), Retry{.delay = -5s});
  EXPECT_EQ(step.next.kind(), StateKind::ready);
}

}  // namespace
}  // namespace pawl
