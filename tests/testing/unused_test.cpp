/// A misspelt script never passes silently: scripts that were never used are reported.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/testing/testing.hpp"

namespace {

using namespace pawl;
using namespace pawl::testing;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Program payments() {
  WorkflowBuilder build("payments");
  build.stage("pay", [](Context&, std::stop_token) -> Outcome { return Output{}; })
      .gate("covered", [](const GateContext&, std::stop_token) { return accepted(); })
      .retry({.max_attempts = 3});
  build.human_stage("check").needs("pay");
  return built(build);
}

/// What `finish` throws about these scripts, for two payments that are made and approved.
std::string complaint(const std::function<void(World&)>& cast, WorldOptions options = {}) {
  World world(std::move(options));
  world.reviewer(Reviewer("grace").approves());
  cast(world);
  const JobId job = world.submit(payments(), items({"rent", "water"}));
  try {
    EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  } catch (const std::logic_error& thrown) {
    EXPECT_EQ(world.state(job), JobState::completed);
    return thrown.what();
  }
  return "";
}

TEST(Unused, an_item_that_a_script_misspells_is_told_with_the_one_that_is_meant) {
  EXPECT_EQ(complaint([](World& world) {
              world.stage("pay", Script{}.then(succeeds()).item("rnet").then(fails("closed")));
            }),
            "the script of stage 'pay' names item 'rnet', which never came up; did you mean "
            "'rent'?");
  EXPECT_EQ(complaint([](World& world) {
              world.gate("pay", "covered",
                         GateScript{}.then(accepts()).item("wter").then(rejects("no")));
            }),
            "the script of gate 'covered' of stage 'pay' names item 'wter', which never came up; "
            "did you mean 'water'?");
  EXPECT_EQ(complaint([](World& world) {
              world.reviewer("check", Reviewer("linus").item("rnet").rejects("no"));
            }),
            "reviewer 'linus' of stage 'check' names item 'rnet', which never came up; did you "
            "mean 'rent'?");
  EXPECT_EQ(complaint([](World& world) {
              world.stage("pay", Script{}.then(succeeds()).item("salary").then(fails("no")));
            }),
            "the script of stage 'pay' names item 'salary', which never came up")
      << "nothing is near";
}

TEST(Unused, a_crash_that_never_happened_is_told) {
  EXPECT_EQ(complaint([](World& world) { world.crash_after("pay", "rnet"); }),
            "a crash after stage 'pay' of item 'rnet' never happened; did you mean 'rent'?");
  EXPECT_EQ(complaint([](World& world) { world.crash_before("pay", "rent", 2); }),
            "a crash before attempt 2 of stage 'pay' of item 'rent' never happened");
}

TEST(Unused, an_attempt_that_was_written_for_and_never_made_is_told) {
  EXPECT_EQ(
      complaint([](World& world) {
        world.stage("pay", Script{}
                               .then(succeeds())
                               .attempt(2, fails("closed"))
                               .item("rent")
                               .then(succeeds())
                               .attempt(3, fails("closed")));
      }),
      "the script of stage 'pay' has an answer for attempt 2, which never came up\n"
      "the script of stage 'pay' has an answer for attempt 3 of item 'rent', which never came "
      "up");
}

TEST(Unused, everything_is_told_at_once) {
  EXPECT_EQ(complaint([](World& world) {
              world.stage("pay", Script{}.then(succeeds()).item("rnet").then(fails("closed")));
              world.crash_after("pay", "wter");
            }),
            "the script of stage 'pay' names item 'rnet', which never came up; did you mean "
            "'rent'?\n"
            "a crash after stage 'pay' of item 'wter' never happened; did you mean 'water'?");
}

TEST(Unused, a_script_used_in_full_reports_nothing) {
  World world;
  world.stage("pay", Script{}
                         .then(fails("closed"))
                         .then(succeeds())
                         .attempt(3, succeeds({{"paid", "at last"}}))
                         .item("rent")
                         .then(succeeds().after(2h)));
  world.gate("pay", "covered",
             GateScript{}.then(accepts()).item("water").attempt(2, rejects("no")).then(accepts()));
  world.reviewer("check", Reviewer("grace").approves().item("rent").approves_after(1h));
  world.crash_after("pay", "rent");
  const JobId job = world.submit(payments(), items({"rent", "water"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(world.crashes(), 1);
  EXPECT_THAT(world.unused(), IsEmpty());
}

TEST(Unused, lines_for_everyone_may_wait_for_attempts_that_are_not_made) {
  EXPECT_EQ(complaint([](World& world) {
              world.stage("pay", Script{}.times(2, succeeds()).then(fails("never said")));
            }),
            "");
}

TEST(Unused, who_is_there_may_come_up_later_and_who_is_nowhere_is_told_at_once) {
  World world;
  world.reviewer("check", Reviewer("grace").item("rent").approves_after(1h));
  world.crash_before("check", "water");
  const JobId job = world.submit(payments(), items({"rent", "water"}));
  EXPECT_EQ(world.finish(job), JobState::running) << "water waits for a person";
  EXPECT_THAT(world.unused(),
              ElementsAre("a crash before stage 'check' of item 'water' never happened"));
  world.reviewer("check", Reviewer("linus").item("watre").approves());
  EXPECT_THROW(world.finish(job), std::logic_error);
}

TEST(Unused, of_a_fan_out_the_parts_are_named_too) {
  WorkflowBuilder build("shelves");
  build
      .stage("count",
             [](Context&, std::stop_token) -> Outcome {
               return FanOut{.children = {{"left", {}}, {"right", {}}}, .summary = {}};
             })
      .each([](Context&, std::stop_token) -> Outcome { return Output{}; });
  World world;
  world.stage("count", Script{}.then(succeeds()).item("a/rihgt").then(fails("dark")));
  const JobId job = world.submit(built(build), items({"a"}));
  EXPECT_THROW(world.finish(job), std::logic_error);
  EXPECT_THAT(world.unused(),
              ElementsAre("the script of stage 'count' names item 'a/rihgt', which never came up; "
                          "did you mean 'a/right'?"));
}

TEST(Unused, a_world_of_shared_scripts_may_be_told_not_to_mind) {
  EXPECT_EQ(
      complaint([](World& world) { world.crash_after("pay", "rnet"); }, {.minds_unused = false}),
      "");
}

}  // namespace
