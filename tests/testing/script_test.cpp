/// Scripted stages, gates and reviewers, by item and by attempt.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/testing/testing.hpp"

namespace {

using namespace pawl;
using namespace pawl::testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Outcome real_work(Context& context, std::stop_token) {
  return Output{.json = Json::object({{"from", context.item_key()}})};
}
Judgement real_gate(const GateContext& context, std::stop_token) {
  return context.output.json.text().find("good") == std::string::npos
             ? rejected({.summary = "not good", .criteria = {}, .guidance = {}})
             : accepted();
}

Program one_stage(const RetryPolicy& retry, bool with_gate = false,
                  ReviewPolicy review = ReviewPolicy::never) {
  WorkflowBuilder build("one");
  auto stage = build.stage("work", real_work);
  stage.retry(retry).review(review);
  if (with_gate) stage.gate("quality", real_gate);
  return built(build);
}

std::vector<AttemptResult> results(World& world, JobId job, const std::string& item) {
  std::vector<AttemptResult> all;
  for (const Attempt& one : world.attempts(job, item, "work")) all.push_back(one.result);
  return all;
}

TEST(Scripts, what_has_no_script_runs_as_it_is) {
  World world;
  const JobId job = world.submit(one_stage({}), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed);
  EXPECT_EQ(world.output(job, "a", "work").text(), R"({"from":"a"})");
  EXPECT_THAT(world.calls("work"), SizeIs(1)) << "real code is seen, too";
}

TEST(Scripts, lines_are_spoken_by_attempt_and_the_last_is_repeated) {
  World world;
  world.stage("work", Script{}.then(fails("one")).then(throws("two")).then(succeeds({{"n", 3}})));
  const JobId job = world.submit(one_stage({.max_attempts = 5}), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_THAT(results(world, job, "a"),
              ElementsAre(AttemptResult::failure, AttemptResult::failure, AttemptResult::success));
  EXPECT_EQ(world.attempts(job, "a", "work")[1].error->kind, ErrorKind::exception);
  const JobId second = world.submit(one_stage({.max_attempts = 5}), items({"b"}));
  world.stage("work", Script{}.then(fails("always")));
  EXPECT_EQ(world.finish(second), JobState::failed);
  EXPECT_THAT(world.attempts(second, "b", "work"), SizeIs(5));
}

TEST(Scripts, the_third_attempt_of_item_b_is_another_one) {
  World world;
  world.stage("work", Script{}
                          .then(succeeds({{"for", "all"}}))
                          .item("b")
                          .times(2, fails("busy"))
                          .then(succeeds({{"for", "b"}}))
                          .attempt(3, fails_for_good("broken")));
  const JobId job = world.submit(one_stage({.max_attempts = 9}), items({"a", "b", "c"}));
  EXPECT_EQ(world.finish(job), JobState::failed);
  EXPECT_EQ(world.output(job, "a", "work").text(), R"({"for":"all"})");
  EXPECT_EQ(world.state(job, "b"), ItemState::failed);
  const auto attempts = world.attempts(job, "b", "work");
  ASSERT_THAT(attempts, SizeIs(3));
  EXPECT_EQ(attempts[2].error->message, "broken");
  EXPECT_EQ(attempts[2].decision.rule, Rule::final_error);
}

TEST(Scripts, every_kind_of_ending_is_the_engines_own) {
  World world;
  world.stage("work", Script{}
                          .item("limited")
                          .then(is_rate_limited("429", 2h))
                          .then(succeeds())
                          .item("blocked")
                          .then(is_blocked("no key"))
                          .item("skipped")
                          .then(skips("nothing to do"))
                          .item("unsure")
                          .then(asks_for_review({}, "look at it")));
  const JobId job = world.submit(one_stage({}), items({"limited", "blocked", "skipped", "unsure"}));
  world.finish(job);
  EXPECT_EQ(world.state(job, "limited", "work"), StateKind::succeeded);
  EXPECT_EQ(world.calls("work").back().at, 2h);
  EXPECT_EQ(world.state(job, "blocked", "work"), StateKind::awaiting_review);
  EXPECT_EQ(world.state(job, "skipped", "work"), StateKind::skipped);
  EXPECT_EQ(world.state(job, "unsure", "work"), StateKind::awaiting_review);
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(Scripts, work_takes_its_time_and_times_out) {
  World world;
  world.stage("work", Script{}.then(succeeds().after(3h)).then(hangs()).then(succeeds().after(1h)));
  const JobId job =
      world.submit(one_stage({.max_attempts = 3, .attempt_timeout = 2h}), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_THAT(
      results(world, job, "a"),
      ElementsAre(AttemptResult::timed_out, AttemptResult::timed_out, AttemptResult::success));
  EXPECT_EQ(world.elapsed(), 5h) << "two timeouts of two hours, and an hour of work";
  const auto calls = world.calls("work");
  ASSERT_TRUE(calls[1].feedback);
  EXPECT_THAT(calls[1].feedback->summary, HasSubstr("timed out"));
}

TEST(Scripts, work_that_ignores_its_stop_is_abandoned_when_its_grace_is_over) {
  World world;
  world.stage("work", Script{}.then(ignores_its_stop()).then(succeeds()));
  const JobId job =
      world.submit(one_stage({.max_attempts = 2, .attempt_timeout = 1h}), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(world.elapsed(), 1h + 10s);
}

TEST(Scripts, an_attempt_that_no_line_is_written_for_fails_and_says_so) {
  World world;
  world.stage("work", Script{}.item("b").then(succeeds()));
  const JobId job = world.submit(one_stage({.max_attempts = 3}), items({"a", "b"}));
  EXPECT_EQ(world.finish(job), JobState::failed);
  EXPECT_THAT(world.story(job),
              HasSubstr("the script of stage 'work' has no answer for attempt 1 of 'a'"));
}

TEST(Scripts, for_a_stage_that_does_not_exist_are_a_mistake_of_the_test) {
  World world;
  world.stage("wrok", Script{}.then(succeeds()));
  world.submit(one_stage({}), items({"a"}));
  try {
    world.run();
    FAIL() << "the misspelt script was taken";
  } catch (const std::logic_error& thrown) {
    EXPECT_STREQ(thrown.what(),
                 "a script names stage 'wrok', which is not in any workflow of this world; did you "
                 "mean 'work'?");
  }
}

TEST(Scripts, of_gates_reviewers_and_crashes_must_name_what_is_there) {
  const auto faulty = [](const std::function<void(World&)>& cast) {
    World world;
    world.submit(one_stage({}, true), items({"a"}));
    cast(world);
    EXPECT_THROW(world.run(), std::logic_error);
  };
  faulty([](World& world) { world.gate("work", "qualtiy", GateScript{}.then(accepts())); });
  faulty([](World& world) { world.reviewer("chekc", Reviewer().approves()); });
  faulty([](World& world) { world.crash_before("wrok"); });
  World world;
  const JobId job = world.submit(one_stage({}), items({"a"}));
  EXPECT_THROW((void)world.attempts(job, "nobody", "work"), std::logic_error);
  EXPECT_THROW((void)world.state(job, "a", "play"), std::logic_error);
}

TEST(Scripts, of_children_are_named_by_item_and_child) {
  WorkflowBuilder build("shelves");
  build
      .stage("count",
             [](Context&, std::stop_token) -> Outcome {
               return FanOut{.children = {{"left", {}}, {"right", {}}}, .summary = {}};
             })
      .each([](Context&, std::stop_token) -> Outcome { return retryable("the real one"); })
      .retry({.max_attempts = 2});
  World world;
  world.stage("count",
              Script{}.then(succeeds()).item("a/right").then(fails("dark")).then(succeeds()));
  const JobId job = world.submit(built(build), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_THAT(world.attempts(job, "a/left", "count"), SizeIs(1));
  EXPECT_THAT(world.attempts(job, "a/right", "count"), SizeIs(2));
  EXPECT_EQ(world.state(job, "a", "count"), StateKind::succeeded);
  EXPECT_THROW((void)world.attempts(job, "a/middle", "count"), std::logic_error);
}

TEST(ScriptedGates, reject_with_feedback_and_then_accept) {
  World world;
  world.gate("work", "quality", GateScript{}.times(2, rejects("too short")).then(accepts()));
  const JobId job = world.submit(one_stage({.max_attempts = 3}, true), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  const auto calls = world.calls("work");
  ASSERT_THAT(calls, SizeIs(3));
  EXPECT_FALSE(calls[0].feedback);
  EXPECT_EQ(calls[2].feedback->summary, "too short");
  EXPECT_EQ(calls[2].cause, Cause::gate_feedback);
}

TEST(ScriptedGates, may_be_uncertain_or_broken_and_real_ones_still_judge_scripts) {
  World world;
  world.gate("work", "quality",
             GateScript{}
                 .item("unsure")
                 .then(is_uncertain("blurred"))
                 .item("broken")
                 .then(breaks("no judge")));
  const JobId job = world.submit(one_stage({}, true), items({"unsure", "broken"}));
  world.finish(job);
  EXPECT_EQ(world.state(job, "unsure", "work"), StateKind::awaiting_review);
  EXPECT_EQ(world.attempts(job, "broken", "work")[0].error->kind, ErrorKind::gate);

  World real;
  real.stage("work", Script{}.then(succeeds("bad")).then(succeeds("good")));
  const JobId judged = real.submit(one_stage({.max_attempts = 2}, true), items({"a"}));
  EXPECT_EQ(real.finish(judged), JobState::completed) << real.story(judged);
  EXPECT_THAT(real.attempts(judged, "a", "work"), SizeIs(2));
}

TEST(ScriptedGates, take_their_time_and_time_out) {
  WorkflowBuilder build("one");
  build.stage("work", real_work)
      .gate("quality", real_gate)
      .retry({.max_attempts = 3, .gate_timeout = 1h});
  World world;
  world.gate("work", "quality",
             GateScript{}
                 .then(accepts().after(2h))
                 .then(rejects("too short").after(20min))
                 .then(accepts().after(30min)));
  const JobId job = world.submit(built(build), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_THAT(
      results(world, job, "a"),
      ElementsAre(AttemptResult::timed_out, AttemptResult::success, AttemptResult::success));
  EXPECT_THAT(world.attempts(job, "a", "work")[0].error->message, HasSubstr("quality"));
  EXPECT_EQ(world.elapsed(), 1h + 20min + 30min);
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(ScriptedGates, may_take_longer_than_a_lease) {
  World world;
  world.gate("work", "quality", GateScript{}.then(accepts().after(30h)));
  world.stage("work", Script{}.then(succeeds()).item("b").then(succeeds().after(1h)));
  const JobId job = world.submit(one_stage({}, true), items({"a", "b"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_THAT(results(world, job, "a"), ElementsAre(AttemptResult::success));
  EXPECT_THAT(results(world, job, "b"), ElementsAre(AttemptResult::success));
  EXPECT_EQ(world.elapsed(), 60h) << "nothing else happens while a gate takes its time";
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(ScriptedReviewers, ask_for_changes_once_edit_approve_and_reject) {
  World world;
  world.stage("work", Script{}.then(succeeds({{"text", "long"}})));
  world.reviewer("work", Reviewer("grace")
                             .item("changed")
                             .asks_for_changes("shorter", 1h)
                             .approves_after(2h)
                             .item("edited")
                             .edits(Json::object({{"text", "short"}}), 5h)
                             .item("refused")
                             .rejects("no", 24h));
  const JobId job = world.submit(one_stage({}, false, ReviewPolicy::always),
                                 items({"changed", "edited", "refused"}));
  EXPECT_EQ(world.finish(job), JobState::failed) << world.story(job);
  EXPECT_THAT(world.attempts(job, "changed", "work"), SizeIs(2));
  EXPECT_EQ(world.calls("work").back().feedback->summary, "shorter");
  EXPECT_EQ(world.calls("work").back().at, 1h);
  EXPECT_EQ(world.output(job, "edited", "work").text(), R"({"text":"short"})");
  EXPECT_EQ(world.state(job, "refused"), ItemState::failed);
  EXPECT_EQ(world.elapsed(), 24h);
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(ScriptedReviewers, who_come_too_late_change_nothing) {
  World world;
  world.reviewer(Reviewer("grace").approves_after(2h));
  const JobId job = world.submit(one_stage({}, false, ReviewPolicy::always), items({"a"}));
  world.run();
  world.in(1h, [&] {
    const Review open = world.open_reviews(job).at(0);
    ASSERT_TRUE(world.engine().answer(
        open.id, {.outcome = ReviewOutcome::reject, .reviewer = "linus", .note = "no"}));
  });
  EXPECT_EQ(world.finish(job), JobState::failed);
  world.pass(24h);
  EXPECT_EQ(world.state(job, "a"), ItemState::failed);
}

TEST(ScriptedReviewers, who_ask_for_changes_for_ever_are_found_out) {
  World world;
  world.reviewer(Reviewer("tireless").asks_for_changes("again"));
  const JobId job = world.submit(one_stage({}, false, ReviewPolicy::always), items({"a"}));
  EXPECT_THROW(world.finish(job), std::logic_error);
}

}  // namespace
