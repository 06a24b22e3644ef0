/// Skipping one stage of an item by hand, with a reason.

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class Skips : public PeopleContract {
 protected:
  Result<Job> skip(TaskId task, std::string reason = "not needed") {
    return drive.act(SkipTask{.task = task, .reason = std::move(reason), .by = "olga"});
  }
  void expect_skipped(const Task& task) {
    EXPECT_EQ(task.state, TaskState(Skipped{SkipReason::by_choice}));
  }
  /// Item x with a job of one stage and one that depends on it.
  JobId two_stages(StageDefinition only) {
    StageDefinition after = stage("after", {only.name});
    return drive.submit(workflow("w", {std::move(only), std::move(after)}), {"x"});
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Skips, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(Skips, of_a_ready_stage_let_what_depends_on_it_go_on) {
  const JobId job = two_stages(stage("a"));
  ASSERT_TRUE(skip(drive.task_of(job, "x")));
  expect_skipped(drive.task(job, "x"));
  const std::vector<Event> skipped = events_of(EventType::task_skipped);
  ASSERT_THAT(skipped, SizeIs(1));
  EXPECT_EQ(skipped[0].item, drive.item(job, "x").id);
  EXPECT_EQ(skipped[0].task, drive.task_of(job, "x"));
  EXPECT_EQ(skipped[0].code, static_cast<std::int32_t>(SkipReason::by_choice));
  EXPECT_EQ(skipped[0].text, "not needed");
  EXPECT_EQ(skipped[0].by, "olga");
  EXPECT_TRUE(drive.records().output(drive.task_of(job, "x"))->output.is_null());
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
  EXPECT_EQ(drive.item(job, "x").state, ItemState::succeeded);
}

TEST_P(Skips, of_the_last_stage_settle_the_item_and_the_job) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  ASSERT_TRUE(skip(drive.task_of(job, "x")));
  EXPECT_EQ(drive.item(job, "x").state, ItemState::succeeded);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Skips, of_one_of_two_needs_leave_the_other_one_to_wait_for) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), stage("b"), stage("c", {"a", "b"})}), {"x"});
  ASSERT_TRUE(skip(drive.task_of(job, "x", 0)));
  EXPECT_EQ(drive.task(job, "x", 2).kind(), StateKind::waiting);
  expect_error(skip(drive.task_of(job, "x", 2)), ErrorCode::refused,
               "stage 'c' of this item waits for the stages it needs");
  ASSERT_TRUE(skip(drive.task_of(job, "x", 1)));
  EXPECT_EQ(drive.task(job, "x", 2).kind(), StateKind::ready);
  ASSERT_TRUE(skip(drive.task_of(job, "x", 2)));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Skips, of_a_stage_that_has_not_begun_are_refused_until_what_it_needs_has_ended) {
  const JobId job = two_stages(stage("a"));
  expect_error(skip(drive.task_of(job, "x", 1)), ErrorCode::not_found, "task");
  expect_error(skip(TaskId{99}), ErrorCode::not_found, "task");
}

TEST_P(Skips, of_a_stage_that_waits_for_its_retry_end_the_waiting) {
  const JobId job = two_stages(with_attempts(stage("a"), 3, 1h));
  drive.close(drive.claim()[0], failed("busy"));
  ASSERT_EQ(drive.task(job, "x").kind(), StateKind::retry_scheduled);
  ASSERT_TRUE(skip(drive.task_of(job, "x")));
  expect_skipped(drive.task(job, "x"));
  EXPECT_EQ(drive.store().sweep({})->next_due, no_time);
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_THAT(numbers(drive.task_of(job, "x")), SizeIs(1)) << "what was tried stays on record";
}

TEST_P(Skips, of_a_stage_that_awaits_review_supersede_the_question) {
  const Review review = asked({.due = 1h, .overdue = OnOverdue::reject});
  ASSERT_TRUE(skip(review.task));
  expect_skipped(reviewed_task(review));
  EXPECT_EQ(stored(review).status, ReviewStatus::superseded);
  EXPECT_EQ(stored(review).notice_at, no_time);
  expect_error(approve(review, "anna"), ErrorCode::conflict, "review 1 was superseded");
  drive.clock().advance(2h);
  EXPECT_EQ(drive.store().sweep({})->noticed, 0);
  EXPECT_EQ(drive.work(always(succeeded())), 1) << "the stage after it runs";
  EXPECT_TRUE(drive.records().output(review.task)->output.is_null())
      << "what was skipped has no output, although an attempt succeeded";
}

TEST_P(Skips, supersede_an_answer_that_is_not_yet_effective) {
  const Review review = asked({});
  ASSERT_TRUE(approve_later(review, "anna", 5s));
  ASSERT_TRUE(skip(review.task));
  drive.clock().advance(5s);
  EXPECT_EQ(drive.store().sweep({})->answered, 0);
  EXPECT_EQ(stored(review).status, ReviewStatus::superseded);
}

TEST_P(Skips, of_a_dead_letter_take_it_back_and_everything_behind_it) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), stage("b", {"a"}), stage("c", {"b"})}), {"x"});
  drive.work(always(failed("torn", ErrorClass::final)));
  ASSERT_EQ(state_of(drive.job(job)), JobState::failed);
  ASSERT_TRUE(skip(drive.task_of(job, "x")));
  expect_skipped(drive.task(job, "x"));
  EXPECT_EQ(drive.task(job, "x").epoch, 2U);
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::ready);
  EXPECT_EQ(drive.task(job, "x", 2).kind(), StateKind::waiting);
  const Job going_on = drive.job(job);
  EXPECT_EQ(going_on.dead_letters, 0);
  EXPECT_EQ(going_on.failed_tasks, 0);
  EXPECT_EQ(state_of(going_on), JobState::running);
  drive.expect_sound();
  EXPECT_EQ(drive.work(always(succeeded())), 2);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Skips, of_a_discarded_dead_letter_take_it_back_too) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  drive.work(always(failed("torn", ErrorClass::final)));
  ASSERT_TRUE(drive.act(DiscardDeadLetter{drive.task_of(job, "x"), "known", "eve"}));
  ASSERT_TRUE(skip(drive.task_of(job, "x")));
  EXPECT_EQ(drive.job(job).failed_tasks, 0);
  EXPECT_EQ(drive.job(job).dead_letters, 0);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Skips, of_a_running_stage_are_refused_and_so_is_what_has_ended) {
  const JobId job = two_stages(stage("a"));
  const std::vector<Claimed> running = drive.claim();
  expect_error(skip(running[0].task.id), ErrorCode::refused, "stage 'a' of this item is running");
  drive.close(running[0], succeeded());
  expect_error(skip(running[0].task.id), ErrorCode::refused,
               "stage 'a' of this item has ended already");
  ASSERT_TRUE(skip(drive.task_of(job, "x", 1)));
  expect_error(skip(drive.task_of(job, "x", 1)), ErrorCode::refused, "has ended already");
  const JobId cancelled = two_stages(stage("a"));
  ASSERT_TRUE(drive.act(CancelItem{drive.item(cancelled, "x").id}));
  expect_error(skip(drive.task_of(cancelled, "x")), ErrorCode::refused, "has ended already");
}

TEST_P(Skips, in_a_stopped_job_are_refused) {
  const JobId job = drive.submit(workflow("w", {stage("a"), reviewed("b")}), {"x", "y"});
  ASSERT_TRUE(drive.act(CancelJob{job}));
  expect_error(skip(drive.task_of(job, "x")), ErrorCode::refused, "job 1 has been stopped");

  const JobId dead = drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  const std::vector<Claimed> claimed = drive.claim(1);
  drive.close(claimed[0], failed("torn", ErrorClass::final));
  ASSERT_TRUE(drive.act(CancelJob{dead}));
  expect_error(skip(claimed[0].task.id), ErrorCode::refused, "job 2 was cancelled");
}

TEST_P(Skips, in_a_paused_job_or_stage_are_allowed) {
  const JobId job = two_stages(stage("a"));
  ASSERT_TRUE(drive.act(PauseJob{job}));
  ASSERT_TRUE(drive.act(PauseStage{job, second}));
  ASSERT_TRUE(skip(drive.task_of(job, "x", 0)));
  ASSERT_TRUE(skip(drive.task_of(job, "x", 1)));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Skips, need_a_reason_and_the_task_as_it_was_seen) {
  const JobId job = two_stages(with_attempts(stage("a"), 2));
  const Task seen = drive.task(job, "x");
  expect_error(skip(seen.id, ""), ErrorCode::invalid, "a stage is skipped for a reason");
  drive.close(drive.claim()[0], rejected("poor"));
  expect_error(
      drive.act(SkipTask{
          .task = seen.id, .reason = "not needed", .by = "olga", .expected = seen.version}),
      ErrorCode::conflict, "has moved on: somebody was faster");
  const Version now = drive.task_with(seen.id).version;
  ASSERT_TRUE(
      drive.act(SkipTask{.task = seen.id, .reason = "not needed", .by = "olga", .expected = now}));
}

TEST_P(Skips, of_children_count_as_ended_in_their_parent) {
  StageDefinition fan = stage("fan");
  fan.tolerate_failures = {.count = 0};
  const JobId job = two_stages(fan);
  drive.close(drive.claim()[0], split({"p", "q", "r"}));
  const TaskId parent = drive.task_of(job, "x");
  expect_error(skip(parent), ErrorCode::refused,
               "stage 'fan' of this item waits for its children; skip the children");
  const std::vector<Task> children = *drive.records().tasks({.parent = parent});
  ASSERT_TRUE(skip(children[0].id));
  EXPECT_EQ(std::get<Expanded>(drive.task_with(parent).state),
            (Expanded{.children = 3, .open = 2, .failed = 0}));
  drive.expect_sound();
  EXPECT_EQ(drive.work_once(always(succeeded())), 2);
  EXPECT_EQ(drive.task_with(parent).kind(), StateKind::succeeded);
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Skips, of_the_failed_children_make_their_parent_succeed_after_all) {
  StageDefinition fan = stage("fan");
  fan.tolerate_failures = {.count = 9};
  const JobId job = two_stages(fan);
  drive.close(drive.claim()[0], split({"p", "q"}));
  const TaskId parent = drive.task_of(job, "x");
  for (const Claimed& child : drive.claim()) {
    drive.close(child, failed("torn", ErrorClass::final));
  }
  ASSERT_EQ(drive.job(job).dead_letters, 2);
  const std::vector<Task> children = *drive.records().tasks({.parent = parent});
  for (const Task& child : children) {
    ASSERT_TRUE(skip(child.id));
    drive.expect_sound();
  }
  EXPECT_EQ(drive.job(job).dead_letters, 0);
  EXPECT_EQ(drive.task_with(parent).kind(), StateKind::succeeded);
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Skips, of_a_parent_whose_children_failed_are_done_child_by_child) {
  StageDefinition fan = stage("fan");
  fan.tolerate_failures = {.count = 0};
  const JobId job = two_stages(fan);
  drive.close(drive.claim()[0], split({"p"}));
  drive.close(drive.claim()[0], failed("torn", ErrorClass::final));
  const TaskId parent = drive.task_of(job, "x");
  ASSERT_EQ(std::get<Failed>(drive.task_with(parent).state).cause, FailCause::tolerance);
  expect_error(skip(parent), ErrorCode::refused, "skip the children");
  EXPECT_EQ(drive.task_with(parent).kind(), StateKind::failed) << "all of it or nothing";
  ASSERT_TRUE(skip(drive.records().tasks({.parent = parent})->at(0).id));
  EXPECT_EQ(drive.task_with(parent).kind(), StateKind::succeeded);
}

TEST_P(Skips, of_a_job_wide_stage_let_the_next_one_run) {
  const JobId job = drive.submit(
      workflow("w", {stage("a"), job_wide("sum", {"a"}), job_wide("post", {"sum"})}), {"x"});
  EXPECT_EQ(drive.work_once(always(succeeded())), 1);
  ASSERT_TRUE(skip(task_id(drive.job(job).reduce_ordinal, second)));
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(drive.task_with(task_id(drive.job(job).reduce_ordinal, third)).kind(),
            StateKind::succeeded);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Skips, are_undone_by_a_rerun) {
  const JobId job = two_stages(stage("a"));
  ASSERT_TRUE(skip(drive.task_of(job, "x")));
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x")}));
  EXPECT_EQ(drive.work(always(succeeded())), 2);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::succeeded);
}

TEST_P(Skips, fence_a_worker_that_was_about_to_decide_the_condition) {
  StageDefinition conditional = stage("a");
  conditional.conditional = true;
  const JobId job = two_stages(conditional);
  const Claims claims = drive.claim_for(drive.worker());
  ASSERT_THAT(claims.conditional, SizeIs(1));
  ASSERT_TRUE(skip(drive.task_of(job, "x")));
  EXPECT_EQ(drive.commit(skip_by_choice(claims.conditional[0].task)).outcome, StepOutcome::fenced);
  EXPECT_THAT(events_of(EventType::task_skipped), SizeIs(1));
}

}  // namespace
}  // namespace pawl::driving
