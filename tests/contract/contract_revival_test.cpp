/// Jobs that a limit has ended, and that an operator lets go on.

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Reviving : public Contract {
 protected:
  JobId submit_tolerant(const Workflow& flow, const std::vector<std::string>& keys,
                        std::int64_t count) {
    return drive.submit(flow, keys, {.workflow = flow, .tolerate_failures = {.count = count}});
  }
  void expect_refused(const Act& act, const std::string& message, const std::string& help) {
    const Result<Job> done = drive.act(act);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::refused);
    EXPECT_THAT(done.error().message, HasSubstr(message));
    EXPECT_THAT(done.error().help, HasSubstr(help));
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Reviving, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(Reviving, a_job_that_its_tolerance_ended_goes_on_and_its_counters_too) {
  const Workflow flow = workflow("w", {stage("a"), stage("b", {"a"})});
  const JobId job = submit_tolerant(flow, {"1", "2", "3", "4"}, 0);
  const std::vector<Claimed> two = drive.claim(2);
  drive.close(two[0], failed("torn", ErrorClass::final));
  drive.close(two[1], succeeded());
  ASSERT_TRUE(drive.job(job).has_ended());
  ASSERT_EQ(drive.task(job, "2").kind(), StateKind::cancelled) << "it ran when the job ended";

  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 1}}));
  EXPECT_EQ(state_of(drive.job(job)), JobState::running);
  EXPECT_FALSE(drive.job(job).has_ended());
  EXPECT_EQ(drive.job(job).attempts_opened, 2) << "the counters go on";
  EXPECT_EQ(drive.job(job).items.failed, 1);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
  EXPECT_EQ(drive.task(job, "2").kind(), StateKind::ready);
  EXPECT_EQ(drive.item(job, "2").cancelled, std::nullopt);

  EXPECT_EQ(drive.work(always(succeeded())), 6) << "two stages of three items";
  EXPECT_EQ(drive.job(job).items.succeeded, 3);
  EXPECT_THAT(numbers(drive.task_of(job, "2")), testing::ElementsAre(1U, 2U));
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed);
}

TEST_P(Reviving, afterwards_dead_letters_can_be_retried) {
  const JobId job = submit_tolerant(workflow("w", {stage("a")}), {"1", "2"}, 0);
  drive.close(drive.claim(1)[0], failed("torn", ErrorClass::final));
  const Rerun retry{.task = drive.task_of(job, "1")};
  expect_refused(retry, "was ended by a limit", "pawl job revive");
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 1}}));
  ASSERT_TRUE(drive.act(retry));
  drive.work(always(succeeded()));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Reviving, is_refused_while_the_tolerance_is_still_exceeded) {
  const JobId job = submit_tolerant(workflow("w", {stage("a")}), {"1", "2", "3"}, 0);
  drive.close(drive.claim(1)[0], failed("torn", ErrorClass::final));
  expect_refused(ReviveJob{job, {}}, "tolerates fewer failed items than the 1 that it has",
                 "--tolerate 1");
  EXPECT_TRUE(drive.job(job).has_ended());
}

TEST_P(Reviving, a_job_that_its_budget_ended_needs_a_higher_budget_first) {
  const Workflow flow = workflow("w", {stage("a")});
  const Budget one{.max_total_attempts = 1, .exhausted = OnBudgetEnd::fail};
  const JobId job = drive.submit(flow, {"1", "2"}, {.workflow = flow, .budget = one});
  drive.work(always(succeeded()));
  ASSERT_EQ(drive.job(job).cancelled, CancelCause::budget);
  expect_refused(ReviveJob{job, {}}, "has used up its total attempts", "pawl job budget");
  ASSERT_TRUE(drive.act(SetBudget{job, {.max_total_attempts = 5, .exhausted = OnBudgetEnd::fail}}));
  ASSERT_TRUE(drive.act(ReviveJob{job, {}}));
  drive.work(always(succeeded()));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Reviving, a_job_that_its_deadline_ended_needs_a_later_one_first) {
  const Workflow flow = workflow("w", {stage("a")});
  const Budget hour{.deadline = 1h, .exhausted = OnBudgetEnd::fail};
  const JobId job = drive.submit(flow, {"1"}, {.workflow = flow, .budget = hour});
  const std::vector<Claimed> running = drive.claim();
  drive.clock().advance(2h);
  ASSERT_TRUE(drive.store().sweep({}));
  ASSERT_EQ(drive.job(job).cancelled, CancelCause::deadline);
  expect_refused(ReviveJob{job, {}}, "still has running attempts (1)", "try again");
  drive.close(running[0], succeeded());
  expect_refused(ReviveJob{job, {}}, "deadline", "pawl job budget");
  ASSERT_TRUE(drive.act(SetBudget{job, {.deadline = 3h, .exhausted = OnBudgetEnd::fail}}));
  ASSERT_TRUE(drive.act(ReviveJob{job, {}}));
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Reviving, children_that_were_cut_short_run_again_and_those_that_were_done_do_not) {
  const Workflow flow = workflow("w", {stage("fan"), stage("after", {"fan"})});
  const JobId job = submit_tolerant(flow, {"x", "y"}, 0);
  drive.close(drive.claim(1)[0], split({"p", "q", "r"}));
  const std::vector<Claimed> open = drive.claim();
  ASSERT_THAT(open, SizeIs(4));
  for (const Claimed& one : open) {
    if (one.task.child) {
      drive.close(one, succeeded());
      break;
    }
  }
  for (const Claimed& one : open) {
    if (!one.task.child) drive.close(one, failed("torn", ErrorClass::final));
  }
  for (const Claimed& one : open) {
    if (one.task.child && drive.task_with(one.task.id).kind() == StateKind::running) {
      drive.close(one, succeeded());
    }
  }
  ASSERT_TRUE(drive.job(job).has_ended());
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 5}}));
  EXPECT_EQ(drive.work(always(succeeded())), 3) << "two children, and the stage after them";
  EXPECT_EQ(drive.item(job, "x").state, ItemState::succeeded);
}

TEST_P(Reviving, branches_that_ran_at_the_same_time_all_run_again_before_what_needs_them) {
  const Workflow flow =
      workflow("w", {stage("a"), stage("b"), stage("c"), stage("join", {"a", "b", "c"})});
  const JobId job = submit_tolerant(flow, {"1", "2"}, 0);
  const std::vector<Claimed> open = drive.claim();
  ASSERT_THAT(open, SizeIs(6));
  for (const Claimed& one : open) {
    if (one.item_key == "1" && one.task.stage() == first) drive.close(one, succeeded());
  }
  for (const Claimed& one : open) {
    if (one.item_key == "2" && one.task.stage() == first) {
      drive.close(one, failed("torn", ErrorClass::final));
    }
  }
  for (const Claimed& one : open) {
    if (one.task.stage() != first) drive.close(one, succeeded());
  }
  ASSERT_TRUE(drive.job(job).has_ended());
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 1}}));
  drive.expect_sound();
  drive.work(always(succeeded()));
  EXPECT_EQ(drive.task(job, "1", 3).kind(), StateKind::succeeded);
  EXPECT_EQ(drive.item(job, "1").state, ItemState::succeeded);
  EXPECT_EQ(drive.item(job, "2").state, ItemState::failed);
  EXPECT_TRUE(drive.job(job).has_ended());
}

TEST_P(Reviving, a_job_wide_stage_runs_once_everything_has_ended) {
  const Workflow flow = workflow("w", {stage("a"), job_wide("sum", {"a"})});
  const JobId job = submit_tolerant(flow, {"1", "2"}, 0);
  drive.close(drive.claim(1)[0], failed("torn", ErrorClass::final));
  ASSERT_TRUE(drive.job(job).has_ended());
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 1}}));
  EXPECT_EQ(drive.work(always(succeeded())), 2);
  EXPECT_TRUE(drive.job(job).has_ended());
}

TEST_P(Reviving, an_item_that_a_person_cancelled_stays_cancelled) {
  const JobId job = submit_tolerant(workflow("w", {stage("a")}), {"1", "2", "3"}, 0);
  const std::vector<Claimed> open = drive.claim();
  ASSERT_TRUE(drive.act(CancelItem{drive.item(job, "2").id}));
  drive.close(open[0], failed("torn", ErrorClass::final));
  drive.close(open[1], succeeded());
  drive.close(open[2], succeeded());
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 1}}));
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(drive.item(job, "2").state, ItemState::cancelled);
  EXPECT_EQ(drive.item(job, "3").state, ItemState::succeeded);
}

TEST_P(Reviving, an_item_that_a_person_cancels_after_the_limit_stays_cancelled_too) {
  const Workflow flow = workflow("w", {stage("a"), stage("b", {"a"})});
  const JobId job = submit_tolerant(flow, {"1", "2", "3"}, 0);
  const std::vector<Claimed> open = drive.claim();
  drive.close(open[0], failed("torn", ErrorClass::final));
  drive.close(open[1], succeeded());
  drive.close(open[2], succeeded());
  ASSERT_EQ(drive.item(job, "2").cancelled, CancelCause::tolerance) << "it ran when the job ended";
  ASSERT_TRUE(drive.act(CancelItem{drive.item(job, "2").id}));
  EXPECT_EQ(drive.item(job, "2").cancelled, CancelCause::requested);
  drive.expect_sound();
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 1}}));
  EXPECT_EQ(drive.work(always(succeeded())), 2) << "two stages of one item";
  EXPECT_EQ(drive.item(job, "2").state, ItemState::cancelled);
  EXPECT_EQ(drive.item(job, "3").state, ItemState::succeeded);
}

TEST_P(Reviving, an_item_whose_last_stage_the_limit_stopped_can_be_cancelled_as_well) {
  const JobId job = submit_tolerant(workflow("w", {stage("a")}), {"1", "2"}, 0);
  const std::vector<Claimed> open = drive.claim();
  drive.close(open[0], failed("torn", ErrorClass::final));
  drive.close(open[1], succeeded());
  const ItemId item = drive.item(job, "2").id;
  ASSERT_EQ(drive.item(job, "2").state, ItemState::cancelled);
  ASSERT_TRUE(drive.act(CancelItem{item}));
  expect_error(drive.act(CancelItem{item}), ErrorCode::refused, "has already settled");
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 1}}));
  EXPECT_EQ(drive.work(always(succeeded())), 0);
  EXPECT_EQ(drive.item(job, "2").cancelled, CancelCause::requested);
}

TEST_P(Reviving, a_job_with_nothing_left_to_do_finishes_again) {
  const JobId job = submit_tolerant(workflow("w", {stage("a")}), {"1"}, 0);
  drive.work(always(failed("torn", ErrorClass::final)));
  ASSERT_EQ(drive.job(job).cancelled, CancelCause::tolerance);
  drive.clock().advance(1h);
  ASSERT_TRUE(drive.act(ReviveJob{job, Tolerance{.count = 1}}));
  EXPECT_TRUE(drive.job(job).has_ended());
  EXPECT_EQ(drive.job(job).ended_at, drive.clock().now());
  const std::vector<Event> all = events({.job = job, .limit = 100});
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[all.size() - 2].type, EventType::job_resumed);
  EXPECT_EQ(all.back().type, EventType::job_finished);
}

TEST_P(Reviving, an_answer_that_came_too_late_leaves_its_review_open) {
  const Workflow flow = workflow("w", {reviewed("a")});
  const Budget hour{.deadline = 1h, .exhausted = OnBudgetEnd::fail};
  const JobId job = drive.submit(flow, {"x"}, {.workflow = flow, .budget = hour});
  drive.work_once(always(succeeded()));
  const Review review = open_review(job);
  drive.clock().advance(1h - 10s);
  ASSERT_TRUE(drive.act(
      AnswerReview{review.id, {.reviewer = "eve", .effective_at = drive.clock().now() + 60s}}));
  drive.clock().advance(10s);
  ASSERT_TRUE(drive.store().sweep({}));
  ASSERT_EQ(drive.job(job).cancelled, CancelCause::deadline);
  drive.clock().advance(1h);
  ASSERT_TRUE(drive.store().sweep({}));
  ASSERT_TRUE(drive.act(SetBudget{job, {}}));
  ASSERT_TRUE(drive.act(ReviveJob{job, {}}));
  EXPECT_EQ(open_review(job).id, review.id);
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {.reviewer = "eve"}}));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Reviving, is_refused_for_every_other_job) {
  StageDefinition vital = stage("vital");
  vital.on_failure = OnFailure::stop_job;
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"1"});
  expect_refused(ReviveJob{job, {}}, "job 1 has not ended", "");
  drive.work(always(succeeded()));
  expect_refused(ReviveJob{job, {}}, "was not ended by a limit", "retry its dead letters");
  const JobId cancelled = drive.submit(workflow("w", {stage("a")}), {"1"});
  ASSERT_TRUE(drive.act(CancelJob{cancelled}));
  expect_refused(ReviveJob{cancelled, {}}, "was cancelled by a person", "submit a new job");
  const JobId stopped = drive.submit(workflow("v", {vital}), {"1", "2"});
  drive.close(drive.claim(1)[0], failed("torn", ErrorClass::final));
  expect_refused(ReviveJob{stopped, {}}, "was stopped by a stage that failed", "submit a new job");
  EXPECT_EQ(drive.act(ReviveJob{JobId{99}, {}}).error().code, ErrorCode::not_found);
}

TEST_P(Reviving, a_job_that_is_only_paused_is_resumed_instead) {
  const Workflow flow = workflow("w", {stage("a")});
  const JobId asked = drive.submit(flow, {"1"});
  ASSERT_TRUE(drive.act(PauseJob{asked}));
  expect_refused(ReviveJob{asked, {}}, "job 1 is paused, and has not ended", "pawl job resume 1`");

  const JobId late = drive.submit(flow, {"1"}, {.workflow = flow, .budget = {.deadline = 1h}});
  drive.clock().advance(2h);
  ASSERT_TRUE(drive.store().sweep({}));
  ASSERT_EQ(drive.job(late).paused, PauseCause::deadline);
  expect_refused(ReviveJob{late, {}}, "job 2 is paused, and has not ended", "`pawl job budget 2`");
}

TEST_P(Reviving, a_cancelled_job_is_not_resumed) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"1"});
  ASSERT_TRUE(drive.act(CancelJob{job}));
  expect_refused(ResumeJob{job}, "job 1 was cancelled", "submit a new job");
  const JobId limited = submit_tolerant(workflow("w", {stage("a")}), {"1", "2"}, 0);
  drive.close(drive.claim(1)[0], failed("torn", ErrorClass::final));
  expect_refused(ResumeJob{limited}, "job 2 was ended by a limit", "pawl job revive 2");
  EXPECT_THAT(drive.claim(), IsEmpty());
}

}  // namespace
}  // namespace pawl::driving
