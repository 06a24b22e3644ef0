/// Children: how they determine their parent's end, and what happens to them when the parent is
/// rerun.

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

using FanningOut = Contract;

INSTANTIATE_TEST_SUITE_P(Stores, FanningOut, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(FanningOut, the_parent_counts_its_children_and_succeeds_with_the_last) {
  const JobId job = drive.submit(workflow("w", {stage("fan"), stage("after", {"fan"})}), {"x"});
  drive.close(drive.claim()[0], split({"p", "q", "r"}));
  EXPECT_EQ(std::get<Expanded>(drive.task(job, "x").state),
            (Expanded{.children = 3, .open = 3, .failed = 0}));
  const std::vector<Claimed> children = drive.claim();
  ASSERT_THAT(children, SizeIs(3));
  EXPECT_EQ(children[1].task.child->key, "q");
  EXPECT_EQ(children[1].task.child->data, Json("q"));
  EXPECT_EQ(children[1].item_key, "x");
  EXPECT_THAT(*drive.records().tasks({.parent = drive.task_of(job, "x")}), SizeIs(3));
  drive.close(children[0], succeeded());
  EXPECT_EQ(std::get<Expanded>(drive.task(job, "x").state).open, 2);
  drive.expect_sound();
  drive.close(children[1], succeeded());
  drive.close(children[2], succeeded());
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::succeeded);
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(FanningOut, into_nothing_is_done_at_once) {
  const JobId job = drive.submit(workflow("w", {stage("fan")}), {"x"});
  drive.close(drive.claim()[0], split({}));
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::succeeded);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(FanningOut, too_many_failures_fail_the_parent_and_end_the_rest) {
  StageDefinition fan = stage("fan");
  fan.tolerate_failures = {.count = 1};
  const JobId job = drive.submit(workflow("w", {fan}), {"x"});
  drive.close(drive.claim()[0], split({"p", "q", "r", "s"}));
  const std::vector<Claimed> some = drive.claim(3);
  drive.close(some[0], failed("torn"));
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::expanded) << "one is tolerated";
  drive.close(some[1], failed("torn"));
  EXPECT_EQ(std::get<Failed>(drive.task(job, "x").state).cause, FailCause::tolerance);
  const auto children = *drive.records().tasks({.parent = drive.task_of(job, "x")});
  EXPECT_EQ(children[3].kind(), StateKind::cancelled);
  EXPECT_EQ(children[2].kind(), StateKind::cancelled) << "what was running as well";
  EXPECT_EQ(drive.close(some[2], succeeded()), StepOutcome::fenced);
  EXPECT_THAT(numbers(children[2].id), ElementsAre(1)) << "its attempt is recorded";
  EXPECT_TRUE(drive.job(job).has_ended());
  EXPECT_EQ(drive.job(job).attempts_open, 0);
}

TEST_P(FanningOut, a_retried_parent_runs_only_the_children_that_failed) {
  const JobId job = drive.submit(workflow("w", {stage("fan"), stage("after", {"fan"})}), {"x"});
  drive.close(drive.claim()[0], split({"1", "2", "3", "4", "5"}));
  drive.work([](const Claimed& claimed) -> Work {
    const std::string& key = claimed.task.child->key;
    return {.closed = key == "2" || key == "4" ? failed("torn") : succeeded()};
  });
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed);
  drive.expect_sound();
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x")}));
  std::vector<std::string> again;
  drive.work([&](const Claimed& claimed) -> Work {
    if (claimed.task.child) again.push_back(claimed.task.child->key);
    return {.closed = succeeded()};
  });
  EXPECT_THAT(again, ElementsAre("2", "4"));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
  EXPECT_EQ(drive.job(job).dead_letters, 0);
}

// It would make the parent wait again for children of work that has been superseded.
TEST_P(FanningOut, a_tolerated_failure_is_not_retried_once_its_parent_has_gone_back) {
  StageDefinition fan = stage("fan", {"first"});
  fan.tolerate_failures = {.count = 1};
  const JobId job = drive.submit(workflow("w", {stage("first"), fan}), {"x"});
  drive.close(drive.claim()[0], succeeded());
  drive.close(drive.claim()[0], split({"p", "q"}));
  const std::vector<Claimed> children = drive.claim(2);
  drive.close(children[0], failed("torn"));
  drive.close(children[1], succeeded());
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::succeeded);
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 0)}));
  drive.close(drive.claim()[0], failed("torn", ErrorClass::final));
  ASSERT_EQ(drive.task(job, "x", 1).kind(), StateKind::skipped);
  const Result<Job> refused = drive.act(Rerun{.task = children[0].task.id});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::refused);
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::skipped);
  drive.expect_sound();
}

// The children of an old expansion are fenced.
TEST_P(FanningOut, a_rerun_parent_expands_anew_and_the_old_children_count_for_nobody) {
  const JobId job = drive.submit(
      workflow("w", {stage("first"), with_attempts(stage("fan", {"first"}), 2)}), {"x"});
  drive.close(drive.claim()[0], succeeded());
  drive.close(drive.claim()[0], split({"p", "q", "r"}));
  const std::vector<Claimed> old = drive.claim(2);
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 0)}));
  drive.expect_sound();
  drive.close(drive.claim(1)[0], succeeded());
  drive.close(drive.claim(1)[0], split({"p", "q"}));
  EXPECT_EQ(drive.task(job, "x", 1).expansion, 2U);

  // Neither a late success nor a late failure of the old children changes anything.
  (void)drive.close(old[0], succeeded());
  (void)drive.close(old[1], failed("torn"));
  EXPECT_EQ(std::get<Expanded>(drive.task(job, "x", 1).state),
            (Expanded{.children = 2, .open = 2, .failed = 0}));
  EXPECT_EQ(drive.work(always(succeeded())), 2) << "only the two new ones";
  EXPECT_EQ(drive.job(job).dead_letters, 0);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(FanningOut, changes_asked_of_a_child_run_that_child_again_with_the_note) {
  StageDefinition fan = stage("fan");
  fan.retry.on_exhausted = OnExhausted::escalate;
  const JobId job = drive.submit(workflow("w", {fan}), {"x"});
  drive.close(drive.claim()[0], split({"p", "q"}));
  drive.work([](const Claimed& claimed) -> Work {
    return {.closed = claimed.task.child->key == "q" ? failed("torn") : succeeded()};
  });
  const Review review = open_review(job);
  ASSERT_TRUE(say(review, ReviewOutcome::request_changes));
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::closed);
  const Claimed again = drive.claim()[0];
  EXPECT_EQ(again.task.child->key, "q");
  EXPECT_EQ(again.task.cause, Cause::review_changes);
  EXPECT_EQ(again.task.feedback->summary, "because");
  drive.expect_sound();
  drive.close(again, succeeded());
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(FanningOut, changes_asked_of_a_child_may_go_back_to_the_stage_before_its_parent) {
  StageDefinition fan = stage("fan", {"draft"});
  fan.retry.on_exhausted = OnExhausted::escalate;
  fan.changes_rerun = "draft";
  const JobId job = drive.submit(workflow("w", {stage("draft"), fan}), {"x"});
  drive.close(drive.claim()[0], succeeded());
  drive.close(drive.claim()[0], split({"p"}));
  drive.work(always(failed("torn")));
  ASSERT_TRUE(say(open_review(job), ReviewOutcome::request_changes));
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::ready);
  EXPECT_EQ(drive.task(job, "x").feedback->summary, "because");
  drive.expect_sound();
  EXPECT_EQ(drive.work(always(succeeded())), 2);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

// A join that its gate rejects is a new expansion.
TEST_P(FanningOut, a_join_runs_when_the_children_have_ended_and_its_rejection_expands_again) {
  StageDefinition fan = with_attempts(stage("fan"), 2);
  fan.joins = true;
  fan.gates = {{.name = "good"}};
  const JobId job = drive.submit(workflow("w", {fan}), {"x"});
  int joins = 0;
  int splits = 0;
  drive.work([&](const Claimed& claimed) -> Work {
    if (claimed.task.child) return {.closed = succeeded()};
    if (claimed.task.cause == Cause::join) {
      Attempt joined = ++joins == 1 ? rejected("poor") : succeeded();
      joined.verdict = joins == 1 ? Verdict::rejected : Verdict::accepted;
      return {.closed = joined};
    }
    ++splits;
    return split({"p", "q"});
  });
  EXPECT_EQ(joins, 2);
  EXPECT_EQ(splits, 2);
  EXPECT_EQ(drive.task(job, "x").expansion, 2U);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

}  // namespace
}  // namespace pawl::driving
