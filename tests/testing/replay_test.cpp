/// Replay: what the current code would have decided about an earlier job.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/testing/testing.hpp"
#include "pawl/transfer/transfer.hpp"
#include "pawl/views/documents.hpp"
#include "temporary_folder.hpp"

namespace {

using namespace pawl;
using namespace pawl::testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// What may change from one version of the program to the next.
struct Version {
  std::uint32_t attempts = 3;
  Duration backoff = 1min;
  ReviewPolicy review = ReviewPolicy::never;
  std::string work = "work";
  bool with_tail = true;
  Decider decider = {};
};

Program version(const Version& with) {
  WorkflowBuilder build("versioned");
  auto stage =
      build.stage(with.work, [](Context&, std::stop_token) -> Outcome { return Output{}; });
  stage.retry({.max_attempts = with.attempts,
               .backoff = {.initial = with.backoff, .multiplier = 1.0, .jitter = 0.5}});
  stage.review(with.review);
  if (with.decider) stage.decider("patience", with.decider);
  if (with.with_tail) {
    build.stage("tail", [](Context&, std::stop_token) -> Outcome { return Output{}; })
        .needs(with.work);
  }
  return built(build);
}

/// An earlier job: a succeeds at once, b at its third attempt, c never.
struct Yesterday {
  explicit Yesterday(const Version& with = {}) {
    world.stage("work", Script{}
                            .then(succeeds())
                            .item("b")
                            .times(2, fails("busy"))
                            .then(succeeds())
                            .item("c")
                            .then(fails("broken")));
    job = world.submit(version(with), items({"a", "b", "c"}));
    EXPECT_EQ(world.finish(job), JobState::failed) << world.story(job);
  }
  Replay under(const Version& today) {
    return pawl::testing::replay(world.records(), job, version(today));
  }
  World world;
  JobId job;
};

TEST(Replays, of_the_same_code_differ_in_nothing) {
  Yesterday yesterday;
  const Replay same = yesterday.under({});
  EXPECT_TRUE(same.same()) << text_of(same);
  EXPECT_EQ(same.decisions, 9) << "seven of work, two of tail";
  EXPECT_EQ(same.not_reached, 0);
  EXPECT_EQ(text_of(same), "9 decisions made again, all the same\n");
}

TEST(Replays, of_more_patience_differ_where_it_was_given_up) {
  Yesterday yesterday;
  const Replay more = yesterday.under({.attempts = 5});
  EXPECT_FALSE(more.same());
  ASSERT_THAT(more.differences, SizeIs(1));
  const ReplayDifference& one = more.differences[0];
  EXPECT_EQ(one.item, "c");
  EXPECT_EQ(one.stage, "work");
  EXPECT_EQ(one.attempt, 3u);
  EXPECT_EQ(one.then.kind, DecisionKind::fail);
  EXPECT_EQ(one.today.kind, DecisionKind::retry);
  EXPECT_EQ(one.then_in_words, "max_attempts 3/3: exhausted, failed");
  EXPECT_THAT(one.today_in_words, HasSubstr("max_attempts 3/5: retry in "));
  EXPECT_THAT(text_of(more), HasSubstr("c/work, attempt 3\n  then:  max_attempts 3/3"));
}

TEST(Replays, of_less_patience_tell_which_attempts_would_not_have_been_made) {
  Yesterday yesterday;
  const Replay less = yesterday.under({.attempts = 1});
  EXPECT_EQ(less.difference_count, 2) << text_of(less);
  std::vector<std::string> items;
  for (const ReplayDifference& one : less.differences) {
    items.push_back(one.item);
    EXPECT_EQ(one.attempt, 1u);
    EXPECT_EQ(one.today.kind, DecisionKind::fail);
  }
  EXPECT_THAT(items, ElementsAre("b", "c"));
  EXPECT_EQ(less.not_reached, 4) << "the second and third attempts of b and c";
}

TEST(Replays, of_another_delay_differ_at_every_retry) {
  Yesterday yesterday;
  const Replay slower = yesterday.under({.backoff = 1h});
  EXPECT_EQ(slower.difference_count, 4) << text_of(slower);
  EXPECT_EQ(slower.not_reached, 0) << "later, but made all the same";
}

TEST(Replays, of_another_review_policy_differ_wherever_a_person_would_have_been_asked) {
  Yesterday yesterday;
  const Replay reviewed = yesterday.under({.review = ReviewPolicy::always});
  EXPECT_EQ(reviewed.difference_count, 3) << text_of(reviewed);
  EXPECT_EQ(reviewed.differences[0].today_in_words,
            "every output of this stage is reviewed: a reviewer decides");
  EXPECT_EQ(reviewed.differences[2].today_in_words,
            "max_attempts 3/3: exhausted, a reviewer decides");
}

TEST(Replays, name_the_stages_that_came_and_went) {
  Yesterday yesterday;
  const Replay renamed = yesterday.under({.work = "labour"});
  EXPECT_FALSE(renamed.same());
  ASSERT_THAT(renamed.stages_gone, SizeIs(1));
  EXPECT_EQ(renamed.stages_gone[0].stage, "work");
  EXPECT_EQ(renamed.stages_gone[0].decisions, 7);
  EXPECT_THAT(renamed.stages_new, ElementsAre("labour"));
  EXPECT_EQ(renamed.decisions, 2) << "of the tail, which is still there";

  const Replay shortened = yesterday.under({.with_tail = false});
  ASSERT_THAT(shortened.stages_gone, SizeIs(1));
  EXPECT_EQ(shortened.difference_count, 0);
  EXPECT_FALSE(shortened.same());

  Yesterday without_tail({.with_tail = false});
  const Replay grown = without_tail.under({});
  EXPECT_TRUE(grown.same()) << "a new stage changes no decision that was made";
  EXPECT_THAT(grown.stages_new, ElementsAre("tail"));
}

TEST(Replays, ask_the_deciders_of_today) {
  const Decider patient = [](const StageDefinition&, const Attempt& closed) -> Advice {
    if (closed.number < 4) return Retry{.delay = 1h, .reason = "patience"};
    return MarkDead{.reason = "enough"};
  };
  const Decider hasty = [](const StageDefinition&, const Attempt&) -> Advice {
    return MarkDead{.reason = "at once"};
  };
  Yesterday yesterday({.decider = patient});
  EXPECT_TRUE(yesterday.under({.decider = patient}).same());
  const Replay changed = yesterday.under({.decider = hasty});
  EXPECT_EQ(changed.difference_count, 2) << text_of(changed);
  EXPECT_THAT(changed.differences[0].today_in_words, HasSubstr("given up (at once)"));

  const Replay unknown = *pawl::replay(yesterday.world.records(), yesterday.job,
                                       version({.decider = patient}).workflow());
  EXPECT_EQ(unknown.not_checked, 6) << "the failures of b and c: nobody brought the decider";
  EXPECT_THAT(text_of(unknown), HasSubstr("not checked: 6 decisions"));
  EXPECT_FALSE(yesterday.under({}).same()) << "the default decider gives up earlier";
}

TEST(Replays, see_children_reruns_crashes_and_cancels_as_they_were_decided) {
  WorkflowBuilder build("busy");
  build
      .stage("split",
             [](Context&, std::stop_token) -> Outcome {
               return FanOut{.children = {{"x", {}}, {"y", {}}}, .summary = {}};
             })
      .each([](Context& context, std::stop_token) -> Outcome {
        if (context.child()->key == "y" && context.attempt() == 1) return retryable("once");
        return Output{};
      })
      .retry({.max_attempts = 2, .backoff = {.initial = 1h}});
  build.stage("last", [](Context&, std::stop_token) -> Outcome { return Output{}; })
      .needs("split")
      .review(ReviewPolicy::always);
  const Program program = built(build);
  World world;
  world.crash_after("last", "b");
  world.reviewer(Reviewer().asks_for_changes("again").approves());
  const JobId job = world.submit(program, items({"a", "b"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  const JobId cut_short = world.submit(program, items({"c"}));
  world.stage("last", Script{}.then(hangs()));
  world.pass(2h);
  ASSERT_TRUE(world.engine().cancel(cut_short));
  world.run();
  for (const JobId one : {job, cut_short}) {
    const Replay same = pawl::testing::replay(world.records(), one, program);
    EXPECT_TRUE(same.same()) << text_of(same) << world.story(one);
    EXPECT_GT(same.decisions, 2);
  }
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(Replays, are_documents_for_programs_too) {
  Yesterday yesterday;
  const Json document = replay_document(yesterday.under({.attempts = 5}));
  EXPECT_EQ(field(document, "same").json(), Json(false));
  EXPECT_EQ(field(document, "differences[0].then.decision").json(), Json("fail"));
  EXPECT_EQ(field(document, "differences[0].today.decision").json(), Json("retry"));
  EXPECT_EQ(field(document, "decisions").json(), Json(9));
}

TEST(Replays, of_a_job_that_is_not_there_say_so) {
  World world;
  EXPECT_THROW((void)pawl::testing::replay(world.records(), JobId{41}, version({})),
               std::logic_error);
}

TEST(Replays, of_an_export_say_what_those_of_the_store_say) {
  Yesterday yesterday;
  const TemporaryFolder folder;
  const auto file = folder / "job.jsonl";
  std::ofstream out(file);
  ASSERT_TRUE(export_job(yesterday.world.records(), yesterday.job, out));
  out.close();

  EXPECT_TRUE(replay_export(file, version({})).same());
  const Replay there = yesterday.under({.attempts = 5});
  const Replay from_file = replay_export(file, version({.attempts = 5}));
  EXPECT_EQ(text_of(from_file), text_of(there));
  EXPECT_EQ(from_file.difference_count, 1);
}

TEST(Replays, of_what_is_no_whole_export_are_a_mistake_of_the_test) {
  Yesterday yesterday;
  const TemporaryFolder folder;
  const auto file = folder / "job.jsonl";
  std::ostringstream whole;
  ASSERT_TRUE(export_job(yesterday.world.records(), yesterday.job, whole));
  std::ofstream(file) << whole.str().substr(0, whole.str().size() / 2);
  EXPECT_THROW((void)replay_export(file, version({})), std::logic_error);
  try {
    (void)replay_export(folder / "nowhere.jsonl", version({}));
    FAIL() << "there is no such file";
  } catch (const std::logic_error& thrown) {
    EXPECT_THAT(thrown.what(), HasSubstr("nowhere.jsonl"));
  }
}

}  // namespace
