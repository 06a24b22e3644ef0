/// Time in a world: weeks pass in milliseconds, and only on request.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/store/sqlite.hpp"
#include "pawl/testing/testing.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace pawl;
using namespace pawl::testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration day = 24h;

Outcome must_not_run(Context&, std::stop_token) { throw std::logic_error("the real code ran"); }

/// A call that is retried after two weeks, and a review after it.
Program letters() {
  WorkflowBuilder build("letters");
  build.stage("send", must_not_run)
      .retry({.max_attempts = 3, .backoff = {.initial = 14 * day, .multiplier = 1.0}});
  build.human_stage("check").needs("send");
  return built(build);
}

TEST(VirtualTime, two_weeks_of_backoff_and_three_days_of_a_reviewer_pass_at_once) {
  World world;
  world.stage("send", Script{}.then(fails("no answer")).then(succeeds({{"sent", true}})));
  world.reviewer("check", Reviewer("grace").approves_after(3 * day));
  const JobId job = world.submit(letters(), items({"a"}));

  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
  EXPECT_EQ(world.elapsed(), 17 * day);
  const auto calls = world.calls("send");
  ASSERT_THAT(calls, SizeIs(2));
  EXPECT_EQ(calls[0].at, 0s);
  EXPECT_EQ(calls[1].at, 14 * day);
  EXPECT_EQ(calls[1].cause, Cause::error_retry);
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(VirtualTime, no_time_passes_by_itself) {
  World world;
  world.stage("send", Script{}.then(fails("no answer")).then(succeeds()));
  const JobId job = world.submit(letters(), items({"a"}));
  for (int i = 0; i < 100; ++i) world.run();
  EXPECT_EQ(world.elapsed(), 0s);
  EXPECT_EQ(world.state(job, "a", "send"), StateKind::retry_scheduled);
  world.pass(14 * day - Duration{1});
  EXPECT_THAT(world.calls("send"), SizeIs(1)) << "a microsecond is missing";
  world.pass(Duration{1});
  EXPECT_THAT(world.calls("send"), SizeIs(2));
}

TEST(VirtualTime, the_world_tells_what_comes_next) {
  World world;
  world.stage("send", Script{}.then(fails("no answer")).then(succeeds().after(2h)));
  world.reviewer("check", Reviewer("grace").approves_after(3 * day));
  const JobId job = world.submit(letters(), items({"a"}));
  world.run();
  auto next = world.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->in, 14 * day);
  EXPECT_EQ(next->what, "attempt 2 of a/send");
  world.pass(next->in);
  next = world.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->in, 2h);
  EXPECT_EQ(next->what, "the end of a/send");
  world.pass(next->in);
  next = world.next();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->what, "grace answers a/check");
  world.pass(next->in);
  EXPECT_EQ(world.state(job), JobState::completed);
  EXPECT_FALSE(world.next()) << "nothing is left to happen";
}

TEST(VirtualTime, a_job_that_waits_for_a_person_nobody_plays_comes_back_waiting) {
  World world;
  world.stage("send", Script{}.then(succeeds()));
  const JobId job = world.submit(letters(), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::running);
  EXPECT_EQ(world.elapsed(), 0s);
  EXPECT_THAT(world.open_reviews(job), SizeIs(1));
  EXPECT_THAT(world.story(job), HasSubstr("awaiting_review (policy)"));
}

TEST(VirtualTime, an_operator_acts_at_his_moment) {
  World world;
  world.stage("send", Script{}.then(fails("no answer")));
  const JobId job = world.submit(letters(), items({"a"}));
  world.in(2 * day, [&] { ASSERT_TRUE(world.engine().cancel(job)); });
  EXPECT_EQ(world.finish(job), JobState::cancelled);
  EXPECT_EQ(world.elapsed(), 2 * day);
  EXPECT_THAT(world.calls(), SizeIs(1));
}

TEST(VirtualTime, a_deadline_ends_a_job_at_its_moment) {
  World world;
  world.stage("send", Script{}.then(fails("no answer")));
  const JobId job = world.submit(
      letters(), items({"a"}), {.budget = {.deadline = 10 * day, .exhausted = OnBudgetEnd::fail}});
  EXPECT_EQ(world.finish(job), JobState::failed) << world.story(job);
  EXPECT_EQ(world.elapsed(), 10 * day);
}

// No timeout, of an attempt, a gate or a lease, ever answers for a reviewer.
TEST(VirtualTime, a_review_that_nobody_answers_is_approved_by_no_timeout) {
  WorkflowBuilder build("letters");
  build.stage("send", must_not_run)
      .gate("fair", [](const GateContext&, std::stop_token) { return accepted(); })
      .retry({.max_attempts = 2,
              .on_exhausted = OnExhausted::escalate,
              .attempt_timeout = 1h,
              .gate_timeout = 1min})
      .review(ReviewPolicy::always);
  build.human_stage("check").needs("send").retry({.attempt_timeout = 1h});
  World world;
  world.stage("send", Script{}.then(succeeds()).item("late").then(hangs()));
  world.reviewer("send", Reviewer("grace").item("checked").approves());
  const JobId job = world.submit(built(build), items({"shown", "late", "checked"}));
  world.pass(365 * day);

  EXPECT_EQ(world.state(job), JobState::running);
  EXPECT_EQ(world.state(job, "shown", "send"), StateKind::awaiting_review);
  EXPECT_EQ(world.state(job, "late", "send"), StateKind::awaiting_review) << "given up, and asked";
  EXPECT_THAT(world.attempts(job, "late", "send"), SizeIs(2)) << "both timed out";
  EXPECT_EQ(world.state(job, "checked", "check"), StateKind::awaiting_review);
  EXPECT_EQ(world.state(job, "shown", "check"), StateKind::waiting) << "nothing went on";
  EXPECT_THAT(world.open_reviews(job), SizeIs(3));
  EXPECT_TRUE(world.output(job, "shown", "send").is_null());
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(VirtualTime, a_deadline_ends_what_nobody_answers_and_approves_nothing) {
  World world;
  world.stage("send", Script{}.then(succeeds()));
  const JobId job = world.submit(
      letters(), items({"a"}), {.budget = {.deadline = 10 * day, .exhausted = OnBudgetEnd::fail}});
  world.pass(365 * day);
  EXPECT_EQ(world.state(job), JobState::failed);
  EXPECT_NE(world.state(job, "a", "check"), StateKind::succeeded);
  EXPECT_EQ(world.job(job).items.succeeded, 0);
  for (const Review& review : world.open_reviews(job)) {
    EXPECT_FALSE(world.engine().answer(
        review.id, {.outcome = ReviewOutcome::approve, .reviewer = "grace", .note = "late"}));
  }
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(VirtualTime, a_year_of_waiting_is_cheap) {
  World world;
  const JobId job = world.submit(letters(), items({"a"}));
  world.stage("send", Script{}.then(succeeds().after(365 * day)));
  const auto before = std::chrono::steady_clock::now();
  world.reviewer(Reviewer().approves());
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(world.elapsed(), 365 * day);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20s);
}

TEST(VirtualTime, a_world_may_stand_on_a_store_of_files) {
  const TemporaryFolder folder;
  // Every renewal of a lease is a commit to the disk; a lease of a day needs few.
  World world({.store =
                   [&](const Clock& clock) {
                     return open_sqlite_store({.path = folder.path() / "state.db"}, clock);
                   },
               .engine = {.lease = day}});
  world.stage("send", Script{}.then(fails("no answer")).then(succeeds()));
  world.reviewer(Reviewer().approves());
  const JobId job = world.submit(letters(), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(world.elapsed(), 14 * day);
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(VirtualTime, the_story_tells_who_did_what_and_when) {
  World world;
  world.stage("send", Script{}.then(fails("no answer")).then(succeeds()));
  world.reviewer("check", Reviewer("grace").rejects("wrong address", 3 * day).item("b").approves());
  const JobId job = world.submit(letters(), items({"a", "b"}));
  EXPECT_EQ(world.finish(job), JobState::failed);
  const std::string story = world.story(job);
  EXPECT_THAT(story, HasSubstr("job 1 (letters): failed, +17d\n"));
  EXPECT_THAT(story, HasSubstr("+0s   a  send   attempt 1: failure (no answer); max_attempts 1/3: "
                               "retry in 1209600s, at +14d\n"));
  EXPECT_THAT(story, HasSubstr("+14d  b  check  grace: approve, asked at +14d\n"));
  EXPECT_THAT(story, HasSubstr("+17d  a  check  grace: reject, asked at +14d (wrong address)\n"));
  EXPECT_THAT(world.story(job, "b"), ::testing::Not(HasSubstr("a  send")));
}

}  // namespace
