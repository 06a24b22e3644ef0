#include "pawl/core/shown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using testing::Each;
using testing::ElementsAre;

StageIndex index(std::size_t i) { return static_cast<StageIndex>(i); }

/// scan → check → send in a row, a list beside them, and a report over all.
Workflow letters(OnFailure on_failure_of_scan = OnFailure::dead_letter) {
  StageDefinition scan = given::node("scan");
  scan.on_failure = on_failure_of_scan;
  return given::workflow({scan, given::node("check", {"scan"}), given::node("send", {"check"}),
                          given::node("list"), given::node("report", {"send"}, Scope::all)});
}

Item item_in(ItemState state = ItemState::active) {
  Item item;
  item.id = ItemId{7};
  item.state = state;
  return item;
}

std::vector<TaskState> states_of(const std::vector<ShownTask>& tasks) {
  std::vector<TaskState> states;
  for (const ShownTask& task : tasks) states.push_back(task.state);
  return states;
}

std::vector<TaskState> shown_states(const std::vector<Task>& tasks,
                                    std::optional<CancelCause> job_cancelled = std::nullopt) {
  return states_of(shown_tasks(letters(), item_in(), tasks, job_cancelled));
}

constexpr Skipped upstream_failed{SkipReason::upstream_failed};

TEST(ShownTasks, a_stage_of_the_item_without_a_row_waits) {
  EXPECT_THAT(shown_states({given::in_state(Ready{}, index(0))}),
              ElementsAre(Ready{}, Waiting{}, Waiting{}, Waiting{}));
}

TEST(ShownTasks, each_has_its_stage_and_its_row) {
  const Task stored = given::in_state(Running{}, index(3));
  const std::vector<ShownTask> shown = shown_tasks(letters(), item_in(), {stored}, std::nullopt);
  ASSERT_EQ(shown.size(), 4U) << "a job-wide stage has no task of the item";
  EXPECT_EQ(shown[3].stage, index(3));
  EXPECT_EQ(shown[3].stored, stored);
  EXPECT_FALSE(shown[0].stored);
}

TEST(ShownTasks, fan_out_children_are_not_stages) {
  Task child = given::in_state(Failed{}, index(0));
  child.child = ChildPart{.parent = TaskId{9}, .key = "page 1"};
  EXPECT_THAT(shown_states({child}), Each(TaskState(Waiting{})));
}

TEST(ShownTasks, everything_behind_a_failure_is_skipped) {
  EXPECT_THAT(shown_states({given::in_state(Failed{}, index(0))}),
              ElementsAre(Failed{}, upstream_failed, upstream_failed, Waiting{}));
}

TEST(ShownTasks, everything_behind_a_cancelled_task_is_skipped) {
  EXPECT_THAT(shown_states({given::in_state(Cancelled{}, index(0))}),
              ElementsAre(Cancelled{}, upstream_failed, upstream_failed, Waiting{}));
}

TEST(ShownTasks, a_chosen_skip_and_a_failure_to_proceed_after_break_nothing) {
  EXPECT_THAT(shown_states({given::in_state(Skipped{SkipReason::by_choice}, index(0))}),
              ElementsAre(Skipped{SkipReason::by_choice}, Waiting{}, Waiting{}, Waiting{}));
  EXPECT_THAT(states_of(shown_tasks(letters(OnFailure::proceed), item_in(),
                                    {given::in_state(Failed{}, index(0))}, std::nullopt)),
              ElementsAre(Failed{}, Waiting{}, Waiting{}, Waiting{}));
}

TEST(ShownTasks, a_task_that_has_started_is_not_skipped) {
  EXPECT_THAT(
      shown_states({given::in_state(Failed{}, index(0)), given::in_state(Ready{}, index(1))}),
      ElementsAre(Failed{}, Ready{}, Waiting{}, Waiting{}));
}

TEST(ShownTasks, in_a_cancelled_job_everything_but_the_running_and_the_ended_is_cancelled) {
  const Cancelled deadline{CancelCause::deadline};
  EXPECT_THAT(shown_states({given::in_state(Succeeded{.attempt = 1}, index(0)),
                            given::in_state(Running{}, index(1)),
                            given::in_state(AwaitingReview{}, index(3))},
                           CancelCause::deadline),
              ElementsAre(Succeeded{.attempt = 1}, Running{}, deadline, deadline));
}

TEST(ShownTasks, the_cancel_of_the_item_comes_before_that_of_its_job) {
  Item item = item_in();
  item.cancelled = CancelCause::requested;
  EXPECT_THAT(states_of(shown_tasks(letters(), item, {}, CancelCause::budget)),
              Each(TaskState(Cancelled{CancelCause::requested})));
}

TEST(ShownTasks, an_adopted_item_without_tasks_succeeded_in_every_stage) {
  Item item = item_in(ItemState::succeeded);
  item.adopted_from = ItemId{3};
  EXPECT_THAT(states_of(shown_tasks(letters(), item, {}, CancelCause::requested)),
              Each(TaskState(Succeeded{})));
  const std::vector<Task> of_original{given::in_state(Skipped{SkipReason::by_choice}, index(0))};
  EXPECT_EQ(shown_tasks(letters(), item, of_original, std::nullopt).front().kind(),
            StateKind::skipped);
}

TEST(ShownItems, an_unfinished_item_of_a_cancelled_job_is_cancelled) {
  EXPECT_EQ(shown_state(item_in(), std::nullopt), ItemState::active);
  EXPECT_EQ(shown_state(item_in(), CancelCause::deadline), ItemState::cancelled);
  EXPECT_EQ(shown_state(item_in(ItemState::failed), CancelCause::deadline), ItemState::failed);
  Item item = item_in();
  item.cancelled = CancelCause::requested;
  EXPECT_EQ(shown_state(item, std::nullopt), ItemState::cancelled);
}

TEST(ShownItems, the_counts_of_a_cancelled_job_have_no_active_items) {
  Job job;
  job.items.total = 5;
  job.items.succeeded = 2;
  EXPECT_EQ(shown_items(job), job.items);
  job.cancelled = CancelCause::requested;
  EXPECT_EQ(shown_items(job).cancelled, 3);
  EXPECT_EQ(shown_items(job).active(), 0);
}

}  // namespace
}  // namespace pawl
