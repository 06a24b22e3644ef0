/// What ends together with something else, and how a budget is checked when an attempt ends.

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

using Endings = Contract;
INSTANTIATE_TEST_SUITE_P(Stores, Endings, testing::ValuesIn(store_kinds()), name_of_kind);

// model, section 5: a task that a cancel cuts short has not succeeded
TEST_P(Endings, a_parent_whose_children_were_cancelled_with_the_job_does_not_succeed) {
  const JobId job = drive.submit(workflow("w", {stage("fan"), stage("after", {"fan"})}), {"x"});
  drive.close(drive.claim()[0], split({"p", "q"}));
  const std::vector<Claimed> children = drive.claim();
  ASSERT_THAT(children, SizeIs(2));
  ASSERT_TRUE(drive.act(CancelJob{job}));
  for (const Claimed& child : children) drive.close(child, succeeded());
  EXPECT_EQ(drive.task_with(children[0].task.id).kind(), StateKind::cancelled);
  EXPECT_EQ(std::get<Expanded>(drive.task(job, "x").state),
            (Expanded{.children = 2, .open = 0, .failed = 0}));
  EXPECT_FALSE(drive.records().task(drive.task_of(job, "x", 1))) << "nothing was released";
  EXPECT_TRUE(drive.job(job).has_ended());
  const Workflow flow = *drive.records().workflow(drive.job(job).workflow_hash);
  EXPECT_EQ(shown_counts(drive.job(job), flow, first)[StateKind::cancelled], 1);
}

// I12
TEST_P(Endings, a_failed_job_wide_stage_is_the_end_of_everything_after_it) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), job_wide("sum", {"a"}), job_wide("post", {"sum"}),
                                  job_wide("mail", {"post"}), job_wide("log", {"mail", "a"})}),
                   {"x"});
  drive.work([](const Claimed& claimed) -> Work {
    return {.closed = claimed.task.stage() == second ? failed("torn") : succeeded()};
  });
  const std::int64_t ordinal = drive.job(job).reduce_ordinal;
  EXPECT_EQ(drive.task_with(task_id(ordinal, fourth)).state,
            TaskState(Skipped{SkipReason::upstream_failed}));
  EXPECT_TRUE(drive.job(job).has_ended());
  drive.expect_sound();
  ASSERT_TRUE(drive.act(Rerun{.task = task_id(ordinal, second)}));
  EXPECT_EQ(drive.work(always(succeeded())), 4);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Endings, a_job_wide_stage_that_is_rerun_ends_its_children) {
  const JobId job = drive.submit(workflow("w", {stage("a"), job_wide("sum", {"a"})}), {"x"});
  drive.close(drive.claim()[0], succeeded());
  drive.close(drive.claim()[0], split({"p", "q"}));
  const std::vector<Claimed> old = drive.claim(1);
  const TaskId sum = task_id(drive.job(job).reduce_ordinal, second);
  ASSERT_TRUE(drive.act(Rerun{.task = sum}));
  EXPECT_EQ(drive.close(old[0], succeeded()), StepOutcome::fenced);
  EXPECT_EQ(drive.job(job).attempts_open, 0);
  const std::vector<Claimed> again = drive.claim();
  ASSERT_THAT(again, SizeIs(1)) << "no child of the old expansion";
  EXPECT_EQ(again[0].task.id, sum);
  drive.close(again[0], succeeded());
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

// What an attempt has used is used when the next one is opened.
TEST_P(Endings, a_retry_is_not_opened_with_the_close_that_used_up_the_cost) {
  const Workflow flow = workflow("w", {with_attempts(stage("a"), 5)});
  const JobId job =
      drive.submit(flow, {"x"}, {.workflow = flow, .budget = {.cost_microusd = 1'000}});
  Attempt dear = failed("busy");
  dear.usage = {.cost_microusd = 1'000, .tokens = 0};
  Step step = drive.closing(drive.claim()[0], {.closed = dear});
  step.open_for = drive.worker();
  step.open_max = 1;
  const StepAnswer answer = drive.commit(step);
  EXPECT_THAT(answer.opened, IsEmpty());
  EXPECT_EQ(drive.job(job).paused, PauseCause::budget);
  EXPECT_EQ(drive.job(job).used.cost_microusd, 1'000);
  EXPECT_EQ(drive.commit(step).outcome, StepOutcome::fenced);
  EXPECT_EQ(drive.job(job).used.cost_microusd, 1'000) << "a late step uses nothing";
}

// I4
TEST_P(Endings, a_late_step_that_would_open_something_ends_no_job_whose_budget_is_used_up) {
  const Workflow flow = workflow("w", {with_attempts(stage("a"), 5)});
  const JobId job = drive.submit(
      flow, {"x"},
      {.workflow = flow, .budget = {.max_total_attempts = 1, .exhausted = OnBudgetEnd::fail}});
  const Claimed claimed = drive.claim()[0];
  Step late = drive.closing(claimed, {.closed = failed("busy")});
  late.open_for = drive.worker();
  late.open_max = 1;
  late.expected -= 1;
  const Job before = drive.job(job);
  EXPECT_EQ(drive.commit(late).outcome, StepOutcome::fenced);
  EXPECT_EQ(drive.job(job), before);
  EXPECT_EQ(drive.close(claimed, succeeded()), StepOutcome::applied);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

// I8: if two answers become effective together, the first may supersede the review of the second
TEST_P(Endings, an_answer_that_another_of_the_same_moment_superseded_stays_superseded) {
  StageDefinition b = reviewed("b", {"a"});
  b.changes_rerun = "a";
  const JobId job = drive.submit(workflow("w", {stage("a"), b, reviewed("c", {"a"})}), {"x"});
  drive.work(always(succeeded()));
  const auto open = *drive.records().reviews({.job = job});
  ASSERT_THAT(open, SizeIs(2));
  const Timestamp later = drive.clock().now() + 5s;
  ASSERT_TRUE(drive.act(AnswerReview{open[0].id,
                                     {.outcome = ReviewOutcome::request_changes,
                                      .reviewer = "eve",
                                      .note = "shorter",
                                      .effective_at = later}}));
  ASSERT_TRUE(drive.act(AnswerReview{open[1].id, {.reviewer = "eve", .effective_at = later}}));
  drive.clock().advance_to(later);
  ASSERT_TRUE(drive.store().sweep({}));
  EXPECT_EQ(drive.records().review(open[0].id)->status, ReviewStatus::closed);
  EXPECT_EQ(drive.records().review(open[1].id)->status, ReviewStatus::superseded);
  EXPECT_EQ(drive.task(job, "x", 2).kind(), StateKind::waiting);
}

}  // namespace
}  // namespace pawl::driving
