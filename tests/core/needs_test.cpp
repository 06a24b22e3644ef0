#include "pawl/core/needs.hpp"

#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

StageDefinition stage_with(OnFailure on_failure) {
  StageDefinition stage = given::stage();
  stage.on_failure = on_failure;
  return stage;
}

// I7
TEST(Needs, success_and_a_chosen_skip_satisfy_a_need_whatever_the_stage_does_on_failure) {
  for (const OnFailure on_failure :
       {OnFailure::dead_letter, OnFailure::proceed, OnFailure::stop_job}) {
    EXPECT_TRUE(satisfies(stage_with(on_failure), Succeeded{}));
    EXPECT_TRUE(satisfies(stage_with(on_failure), Skipped{SkipReason::by_choice}));
    EXPECT_FALSE(satisfies(stage_with(on_failure), Skipped{SkipReason::upstream_failed}));
    EXPECT_FALSE(satisfies(stage_with(on_failure), Cancelled{}));
  }
}

TEST(Needs, of_needs_are_upstream_too_and_a_stage_is_not_upstream_of_itself) {
  const auto needing = [](std::string name, std::vector<std::string> needs) {
    StageDefinition stage = given::stage();
    stage.name = std::move(name);
    stage.needs = std::move(needs);
    return stage;
  };
  const Workflow workflow =
      Workflow::from_checked({.name = "w",
                              .stages = {needing("a", {}), needing("b", {"a"}),
                                         needing("c", {"b", "a"}), needing("other", {"a"})}},
                             "hash");
  const auto upstream = [&](std::string_view other, std::string_view stage) {
    return is_upstream(workflow, *workflow.find(other), *workflow.find(stage));
  };
  EXPECT_TRUE(upstream("b", "c"));
  EXPECT_TRUE(upstream("a", "c"));
  EXPECT_TRUE(upstream("a", "b"));
  EXPECT_FALSE(upstream("c", "c"));
  EXPECT_FALSE(upstream("c", "b"));
  EXPECT_FALSE(upstream("other", "c"));
}

TEST(Needs, a_failure_satisfies_a_need_only_where_dependents_proceed) {
  EXPECT_TRUE(satisfies(stage_with(OnFailure::proceed), Failed{}));
  EXPECT_FALSE(satisfies(stage_with(OnFailure::dead_letter), Failed{}));
  EXPECT_FALSE(satisfies(stage_with(OnFailure::stop_job), Failed{}));
}

TEST(Needs, an_unfinished_task_neither_satisfies_nor_breaks_a_need) {
  for (const TaskState& state :
       {TaskState(Waiting{}), TaskState(Ready{}), TaskState(Running{}), TaskState(RetryScheduled{}),
        TaskState(AwaitingReview{}), TaskState(Expanded{})}) {
    EXPECT_FALSE(satisfies(stage_with(OnFailure::proceed), state));
    EXPECT_FALSE(breaks(stage_with(OnFailure::dead_letter), state));
  }
}

TEST(Needs, an_ended_task_that_does_not_satisfy_a_need_breaks_it) {
  EXPECT_TRUE(breaks(stage_with(OnFailure::dead_letter), Failed{}));
  EXPECT_TRUE(breaks(stage_with(OnFailure::proceed), Cancelled{}));
  EXPECT_TRUE(breaks(stage_with(OnFailure::proceed), Skipped{SkipReason::upstream_failed}));
  EXPECT_FALSE(breaks(stage_with(OnFailure::proceed), Failed{}));
  EXPECT_FALSE(breaks(stage_with(OnFailure::dead_letter), Succeeded{}));
}

}  // namespace
}  // namespace pawl
