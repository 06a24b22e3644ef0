/// Attempts, failures, backoff, rate limits, timeouts, feedback: one item, one stage.

#include <gmock/gmock.h>

#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;

std::vector<Duration> delays(const std::vector<Attempt>& attempts) {
  std::vector<Duration> found;
  for (std::size_t i = 1; i < attempts.size(); ++i) {
    found.push_back(attempts[i].opened_at - attempts[i - 1].ended_at);
  }
  return found;
}

TEST(Retry, a_single_attempt_that_succeeds_is_recorded_as_attempt_one) {
  World world;
  AttemptNumber seen = 0;
  WorkflowBuilder build("one");
  build.stage("work", [&](Context& context, std::stop_token) -> Outcome {
    seen = context.attempt();
    return Output{.json = Json::object({{"count", 42}}), .summary = "Extracted 42 entities"};
  });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();

  EXPECT_EQ(seen, 1u);
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::succeeded);
  EXPECT_EQ(world.state(job), JobState::completed);
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts[0].number, 1u);
  EXPECT_EQ(attempts[0].output.text(), R"({"count":42})");
  EXPECT_EQ(attempts[0].summary, "Extracted 42 entities");
  EXPECT_EQ(attempts[0].verdict, std::nullopt) << "nobody judged";
  world.expect_sound();
}

TEST(Retry, a_service_that_is_always_down_is_tried_eight_times_with_doubling_delays_to_an_hour) {
  World world;
  int executions = 0;
  WorkflowBuilder build("down");
  build
      .stage("call",
             [&](Context&, std::stop_token) -> Outcome {
               ++executions;
               return retryable("503");
             })
      .retry(RetryPolicy::service());
  const JobId job = world.submit(built(build), items({"a"}));
  world.pass(24h);

  EXPECT_EQ(executions, 8);
  EXPECT_EQ(world.kind(job, "a", "call"), StateKind::failed);
  EXPECT_EQ(world.state(job), JobState::failed);
  EXPECT_THAT(delays(world.attempts(job, "a", "call")),
              ElementsAre(60s, 120s, 240s, 480s, 960s, 1920s, 3600s));
  world.expect_sound();
}

TEST(Retry, twenty_rate_limits_with_a_hint_cost_no_attempt) {
  World world;
  int executions = 0;
  WorkflowBuilder build("limited");
  build
      .stage("call",
             [&](Context&, std::stop_token) -> Outcome {
               if (++executions <= 20) return rate_limited("429", 30s);
               return Output{};
             })
      .retry(RetryPolicy::service());
  const JobId job = world.submit(built(build), items({"a"}));
  world.pass(1h);

  const auto attempts = world.attempts(job, "a", "call");
  EXPECT_EQ(attempts.size(), 21u);
  EXPECT_EQ(attempts.back().counts_before.failures, 0u);
  EXPECT_EQ(world.kind(job, "a", "call"), StateKind::succeeded);
  for (const Duration delay : delays(attempts)) EXPECT_EQ(delay, 30s);
  world.expect_sound();
}

TEST(Retry, a_hint_on_a_retryable_error_lengthens_the_delay_and_the_attempt_counts) {
  World world;
  WorkflowBuilder build("hinted");
  build
      .stage("call",
             [&](Context& context, std::stop_token) -> Outcome {
               if (context.attempt() == 1) return retryable("busy", "503", 90s);
               if (context.attempt() == 2) return retryable("busy", "503", 1s);
               return Output{};
             })
      .retry({.max_attempts = 3, .backoff = {.initial = 10s}});
  const JobId job = world.submit(built(build), items({"a"}));
  world.pass(1h);

  const auto attempts = world.attempts(job, "a", "call");
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(delays(attempts), (std::vector<Duration>{90s, 20s}));
  EXPECT_EQ(attempts.back().counts_before.failures, 2u);
  EXPECT_EQ(attempts.back().cause, Cause::error_retry);
  EXPECT_EQ(world.kind(job, "a", "call"), StateKind::succeeded);
  world.expect_sound();
}

TEST(Retry, a_hint_on_a_retryable_error_holds_nothing_else_back) {
  World world({.parallel = 1});
  int executions = 0;
  WorkflowBuilder build("hinted");
  build
      .stage("call",
             [&](Context&, std::stop_token) -> Outcome {
               if (++executions == 1) return retryable("busy", {}, 60s);
               return Output{};
             })
      .retry({.max_attempts = 2});
  const JobId job = world.submit(built(build), numbered(10));
  world.run();
  EXPECT_EQ(executions, 10);
  world.pass(61s);
  EXPECT_EQ(executions, 11);
  EXPECT_EQ(world.state(job), JobState::completed);
}

TEST(Retry, rate_limits_without_a_hint_are_ordinary_failures) {
  World world;
  int executions = 0;
  WorkflowBuilder build("limited");
  build
      .stage("call",
             [&](Context&, std::stop_token) -> Outcome {
               ++executions;
               return rate_limited("429");
             })
      .retry(RetryPolicy::service());
  const JobId job = world.submit(built(build), items({"a"}));
  world.pass(24h);
  EXPECT_EQ(executions, 8);
  EXPECT_EQ(world.kind(job, "a", "call"), StateKind::failed);
}

TEST(Retry, one_rate_limit_holds_back_the_whole_pool_instead_of_being_met_by_every_item) {
  World world({.parallel = 1});
  int executions = 0;
  WorkflowBuilder build("limited");
  build.stage("call", [&](Context&, std::stop_token) -> Outcome {
    if (++executions == 1) return rate_limited("429", 60s);
    return Output{};
  });
  const JobId job = world.submit(built(build), numbered(10));
  world.run();
  EXPECT_EQ(executions, 1) << "the other nine wait";
  world.pass(59s);
  EXPECT_EQ(executions, 1);
  world.pass(2s);
  EXPECT_EQ(executions, 11);
  EXPECT_EQ(world.state(job), JobState::completed);
}

TEST(Retry, a_final_error_fails_at_once_and_is_never_escalated) {
  World world;
  int executions = 0;
  WorkflowBuilder build("final");
  build
      .stage("parse",
             [&](Context&, std::stop_token) -> Outcome {
               ++executions;
               return final_error("encrypted");
             })
      .retry({.max_attempts = 5, .on_exhausted = OnExhausted::escalate})
      .review(ReviewPolicy::on_escalation);
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(executions, 1);
  EXPECT_EQ(world.kind(job, "a", "parse"), StateKind::failed);
  EXPECT_TRUE(world.open_reviews(job).empty());
}

TEST(Retry, a_rejection_comes_back_as_typed_feedback_to_the_next_attempt) {
  World world;
  std::vector<std::optional<Feedback>> seen;
  WorkflowBuilder build("refine");
  build
      .stage("convert",
             [&](Context& context, std::stop_token) -> Outcome {
               seen.push_back(context.feedback());
               return Output{.json = Json(context.feedback() ? "with tables" : "plain")};
             })
      .gate("tables",
            [](const GateContext& gate, std::stop_token) {
              if (gate.output.json.text() == R"("with tables")") return accepted();
              return rejected({.summary = "1 criteria not met",
                               .criteria = {{"tables", "4", "0", false}},
                               .guidance = Json::object({{"hint", "try OCR"}})});
            })
      .retry({.max_attempts = 3});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();

  ASSERT_EQ(seen.size(), 2u);
  EXPECT_FALSE(seen[0]);
  ASSERT_TRUE(seen[1]);
  EXPECT_EQ(seen[1]->summary, "1 criteria not met");
  EXPECT_EQ(seen[1]->failure_count(), 1u);
  EXPECT_EQ(seen[1]->guidance.text(), R"({"hint":"try OCR"})");
  EXPECT_EQ(world.kind(job, "a", "convert"), StateKind::succeeded);
  const auto attempts = world.attempts(job, "a", "convert");
  EXPECT_EQ(attempts[0].verdict, Verdict::rejected);
  EXPECT_EQ(attempts[1].verdict, Verdict::accepted);
  EXPECT_EQ(attempts[1].cause, Cause::gate_feedback);
  using enum EventType;
  EXPECT_THAT(
      world.event_types(world.task(job, "a", "convert").id),
      ElementsAre(attempt_started, attempt_finished, gate_rejected, retry_scheduled,
                  attempt_started, retry_started, attempt_finished, gate_accepted, task_succeeded));
  world.expect_sound();
}

TEST(Retry, a_timeout_is_a_failed_attempt_whose_feedback_names_the_time) {
  World world;
  std::vector<std::string> feedback;
  WorkflowBuilder build("slow");
  build
      .stage("work",
             [&](Context& context, std::stop_token) -> Outcome {
               feedback.push_back(context.feedback() ? context.feedback()->summary : "");
               if (context.attempt() == 1) world.clock.advance(10s);
               return Output{};
             })
      .retry({.max_attempts = 2, .attempt_timeout = 100ms});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::succeeded);
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].result, AttemptResult::timed_out);
  EXPECT_EQ(attempts[0].summary, "Attempt timed out");
  EXPECT_EQ(attempts[0].verdict, std::nullopt);
  EXPECT_EQ(feedback[1], "attempt timed out after 100ms");
}

TEST(Retry, a_stage_that_always_times_out_fails_or_escalates_as_it_was_told) {
  for (const OnExhausted then : {OnExhausted::fail, OnExhausted::escalate}) {
    World world;
    WorkflowBuilder build("slow");
    build
        .stage("work",
               [&](Context&, std::stop_token) -> Outcome {
                 world.clock.advance(1s);
                 return Output{};
               })
        .retry({.max_attempts = 2, .on_exhausted = then, .attempt_timeout = 100ms});
    const JobId job = world.submit(built(build), items({"a"}));
    world.run();
    EXPECT_EQ(world.kind(job, "a", "work"),
              then == OnExhausted::fail ? StateKind::failed : StateKind::awaiting_review);
    EXPECT_EQ(world.attempts(job, "a", "work").size(), 2u);
  }
}

TEST(Retry, a_gate_that_throws_keeps_the_output_and_is_retried) {
  World world;
  int asked = 0;
  WorkflowBuilder build("broken_gate");
  build.stage("work", succeed)
      .gate("judge",
            [&](const GateContext&, std::stop_token) -> Judgement {
              if (++asked == 1) throw std::runtime_error("no model");
              return accepted();
            })
      .retry({.max_attempts = 2});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].result, AttemptResult::failure);
  EXPECT_EQ(attempts[0].error->kind, ErrorKind::gate);
  EXPECT_EQ(attempts[0].output.text(), R"({"ok":true})");
  EXPECT_EQ(attempts[0].verdict, std::nullopt) << "never accepted";
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::succeeded);
}

// Such a gate used to end the process.
TEST(Retry, a_gate_or_a_condition_that_throws_something_odd_fails_the_attempt) {
  World world;
  WorkflowBuilder build("odd");
  build.stage("judged", succeed)
      .gate("judge", [](const GateContext&, std::stop_token) -> Judgement { throw 7; });
  build.stage("asked", succeed).when([](Context&) -> bool { throw 7; });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.attempts(job, "a", "judged").at(0).error->message,
            "gate 'judge' failed: the gate threw a value that is not a std::exception");
  EXPECT_EQ(world.attempts(job, "a", "asked").at(0).error->message,
            "the condition threw a value that is not a std::exception");
}

// The gate is inside the attempt's deadline.
TEST(Retry, a_gate_that_takes_too_long_times_the_attempt_out) {
  World world;
  WorkflowBuilder build("slow_gate");
  build.stage("work", succeed)
      .gate("judge",
            [&](const GateContext&, std::stop_token) {
              world.clock.advance(3s);
              return accepted();
            })
      .retry({.max_attempts = 1, .attempt_timeout = 1s});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts[0].result, AttemptResult::timed_out);
  EXPECT_EQ(attempts[0].output.text(), R"({"ok":true})") << "the output is kept";
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::failed);
}

TEST(Retry, a_stage_that_throws_is_a_retryable_failure_with_the_message) {
  World world;
  WorkflowBuilder build("throws");
  build
      .stage("work",
             [](Context& context, std::stop_token) -> Outcome {
               if (context.attempt() == 1) throw std::runtime_error("boom");
               return Output{};
             })
      .retry({.max_attempts = 2});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].error->kind, ErrorKind::exception);
  EXPECT_EQ(attempts[0].error->message, "boom");
}

TEST(Retry, an_uncertain_verdict_asks_a_person_whatever_budget_is_left) {
  World world;
  WorkflowBuilder build("unsure");
  build.stage("work", succeed)
      .gate("judge", [](const GateContext&, std::stop_token) { return uncertain("cannot tell"); })
      .retry({.max_attempts = 5});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::awaiting_review);
  const auto reviews = world.open_reviews(job);
  ASSERT_EQ(reviews.size(), 1u);
  EXPECT_EQ(reviews[0].reason, ReviewReason::uncertain);
  EXPECT_TRUE(waits_for_people(world.job(job)));
}

TEST(Retry, a_blocked_stage_asks_a_person) {
  World world;
  WorkflowBuilder build("blocked");
  build.stage("work", [](Context&, std::stop_token) -> Outcome { return blocked("no licence"); });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  ASSERT_EQ(world.open_reviews(job).size(), 1u);
  EXPECT_EQ(world.open_reviews(job)[0].reason, ReviewReason::blocked);
}

// The timer wakes by itself.
TEST(Retry, a_retry_that_is_due_runs_although_no_new_work_arrives) {
  World world;
  int executions = 0;
  WorkflowBuilder build("timer");
  build
      .stage("work",
             [&](Context&, std::stop_token) -> Outcome {
               if (++executions == 1) return retryable("again");
               return Output{};
             })
      .retry({.max_attempts = 2, .backoff = {.initial = 50ms}});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(executions, 1);
  EXPECT_EQ(world.engine->next_wake(), world.clock.now() + 50ms);
  world.clock.advance(50ms);
  world.run();
  EXPECT_EQ(executions, 2);
  EXPECT_EQ(world.state(job), JobState::completed);
}

TEST(Retry, the_idempotency_key_changes_only_when_new_work_is_wanted) {
  World world;
  std::vector<std::string> keys;
  WorkflowBuilder build("keys");
  build
      .stage("work",
             [&](Context& context, std::stop_token) -> Outcome {
               keys.push_back(context.idempotency_key());
               if (context.attempt() == 1) return retryable("network");
               return Output{.json = Json(static_cast<int>(context.attempt()))};
             })
      .gate("judge",
            [](const GateContext& gate, std::stop_token) {
              return gate.attempt < 3 ? rejected({.summary = "no"}) : accepted();
            })
      .retry({.max_attempts = 5});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const std::string prefix = std::to_string(job.value()) + "/a/work/";
  EXPECT_THAT(keys, ElementsAre(prefix + "1.1", prefix + "1.1", prefix + "1.2"));
}

// Asynchronous stages hold no thread
TEST(Retry, an_asynchronous_stage_completes_later_and_times_out_if_it_never_does) {
  World world;
  std::vector<std::shared_ptr<AsyncAttempt>> open;
  WorkflowBuilder build("async");
  build
      .async_stage(
          "call",
          [&](std::shared_ptr<AsyncAttempt> attempt) { open.push_back(std::move(attempt)); })
      .retry({.max_attempts = 2, .attempt_timeout = 1min});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  ASSERT_EQ(open.size(), 1u);
  EXPECT_EQ(world.kind(job, "a", "call"), StateKind::running);
  world.pass(2min);
  EXPECT_TRUE(open[0]->stop_token().stop_requested());
  ASSERT_EQ(open.size(), 2u) << "timed out and tried again";
  open[0]->complete(Output{.json = "late"});  // fenced: too late
  open[1]->complete(Output{.json = "in time"});
  world.run();
  EXPECT_EQ(world.kind(job, "a", "call"), StateKind::succeeded);
  const auto attempts = world.attempts(job, "a", "call");
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].result, AttemptResult::timed_out);
  EXPECT_EQ(attempts[1].output.text(), R"("in time")");
}

// Oldest item first, new work and due retries alike.
TEST(Retry, new_work_and_due_retries_compete_by_the_age_of_the_item) {
  World world({.parallel = 1});
  std::vector<std::string> order;
  WorkflowBuilder build("fair");
  build
      .stage("work",
             [&](Context& context, std::stop_token) -> Outcome {
               order.push_back(context.item_key());
               if (context.item_key() == "old" && context.attempt() == 1) return retryable("later");
               if (context.item_key() == "filler") world.clock.advance(10s);
               return Output{};
             })
      .retry({.max_attempts = 2, .backoff = {.initial = 5s}});
  world.submit(built(build), items({"old", "filler", "young", "younger"}));
  world.run();
  EXPECT_THAT(order, ElementsAre("old", "filler", "old", "young", "younger"));
}

// The example of the older daemon: the retry of 1 January is due, that of 4 January is not.
TEST(Retry, a_due_retry_goes_before_younger_work_and_one_that_is_not_due_is_left_out) {
  World world({.parallel = 1, .categories = {"tried"}});
  std::vector<std::string> order;
  WorkflowBuilder build("daemon");
  build
      .stage("replay",
             [&](Context& context, std::stop_token) -> Outcome {
               order.push_back(context.item_key());
               if (context.category() == "new" || context.attempt() > 1) return Output{};
               if (context.item_key() == "4 January, tried") world.clock.advance(3s);
               return retryable("down");
             })
      .retry({.max_attempts = 2, .backoff = {.initial = 5s}});
  const Program program = built(build);
  const Timestamp start = world.clock.now();
  const JobId job = world.submit(program, {{.key = "1 January", .category = "tried"},
                                           {.key = "3 January", .category = "new"},
                                           {.key = "4 January", .category = "new"},
                                           {.key = "4 January, tried", .category = "tried"}});
  world.run();
  EXPECT_THAT(order, ElementsAre("1 January", "4 January, tried"));
  world.engine->stop();

  order.clear();
  world.clock.advance_to(start + 5s);
  auto daemon = world.another({.parallel = 1});
  daemon->serve(program);
  daemon->run_until_idle();
  EXPECT_THAT(order, ElementsAre("1 January", "3 January", "4 January"));
  EXPECT_EQ(world.kind(job, "4 January, tried", "replay"), StateKind::retry_scheduled);
  world.clock.advance_to(start + 8s);
  daemon->run_until_idle();
  EXPECT_EQ(order.back(), "4 January, tried");
  EXPECT_EQ(world.state(job), JobState::completed);
}

}  // namespace
}  // namespace pawl
