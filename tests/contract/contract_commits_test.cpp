/// Commits, and what they release.

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Committing = Contract;
using Joining = Contract;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, Committing, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Joining, kinds, name_of_kind);

// The opening is durable before the code runs.
TEST_P(Committing, the_opening_of_an_attempt_is_recorded_before_its_code_runs) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  const std::vector<Claimed> opened = drive.claim();
  const Task row = drive.task(job, "x");
  EXPECT_EQ(row, opened[0].task);
  EXPECT_EQ(row.attempts, 1U);
  EXPECT_EQ(std::get<Running>(row.state).opened_at, drive.clock().now());
  EXPECT_EQ(count_events(EventType::attempt_started), 1);
  EXPECT_THAT(numbers(row.id), IsEmpty()) << "the record is written when it closes";
  drive.close(opened[0], succeeded());
  EXPECT_THAT(numbers(row.id), ElementsAre(1));
}

// I4
TEST_P(Committing, a_stale_version_is_fenced_and_leaves_no_trace) {
  const JobId job = drive.submit(workflow("w", {with_attempts(stage("a"), 2, 1s)}), {"x"});
  const Claimed claimed = drive.claim()[0];
  const Step step = drive.closing(claimed, {.closed = failed("busy")});
  EXPECT_EQ(drive.commit(step).outcome, StepOutcome::applied);
  const Job before = drive.job(job);
  const std::vector<Event> log = events();
  EXPECT_EQ(drive.commit(step).outcome, StepOutcome::fenced) << "delivered twice";
  EXPECT_EQ(drive.close(claimed, succeeded()), StepOutcome::fenced) << "and another answer";
  EXPECT_EQ(drive.job(job), before);
  EXPECT_EQ(events(), log);
  EXPECT_THAT(numbers(claimed.task.id), ElementsAre(1));
}

// After a failover the same task may be opened again: its lost attempt must be fenced.
TEST_P(Committing, an_attempt_opened_later_has_a_later_token_whatever_came_between) {
  drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  const Claimed earlier = drive.claim(1)[0];
  drive.clock().advance(1ms);
  const Claimed later = drive.claim(1)[0];
  EXPECT_GT(later.task.version, earlier.task.version);
}

// The same for an operation, and for a task that is not open yet: the answer of a condition names
// its version.
TEST_P(Committing, what_is_written_later_has_a_later_version_and_generation_whatever_came_between) {
  const Workflow one = workflow("w", {stage("a")});
  const JobId earlier = drive.submit(one, {"x"});
  const Job paused = *drive.act(PauseJob{earlier});
  drive.clock().advance(1us);
  const JobId later = drive.submit(one, {"x"});
  const Job paused_later = *drive.act(PauseJob{later});
  EXPECT_GT(paused_later.generation, paused.generation);
  EXPECT_GT(drive.task(later, "x", 0).version, drive.task(earlier, "x", 0).version);
}

// I12: such an item would wait for a review that cannot be answered.
TEST_P(Committing, a_result_for_an_item_that_was_cancelled_unnoticed_is_decided_again) {
  StageDefinition reviewed = stage("a");
  reviewed.review = ReviewPolicy::always;
  const JobId job = drive.submit(workflow("w", {reviewed}), {"x"});
  const Claimed claimed = drive.claim()[0];
  Step step = drive.closing(claimed, {.closed = succeeded()});
  ASSERT_TRUE(drive.act(CancelItem{claimed.task.item}));
  // The worker read the job after the cancel, but the item before it.
  step.generation = drive.job(job).generation;
  EXPECT_EQ(drive.commit(step).outcome, StepOutcome::stale);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::running);
  Step again = drive.closing(claimed, {.closed = succeeded()});
  again.generation = drive.job(job).generation;
  EXPECT_EQ(drive.commit(again).outcome, StepOutcome::applied);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::cancelled);
  EXPECT_TRUE(drive.job(job).has_ended());
}

// architecture, hard part 4
TEST_P(Committing, a_decision_from_an_older_view_of_the_job_is_made_again) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  const Claimed claimed = drive.claim()[0];
  Step step = drive.closing(claimed, {.closed = succeeded()});
  step.generation = drive.job(job).generation;
  ASSERT_TRUE(drive.act(CancelJob{job}));
  const std::vector<Event> log = events();
  EXPECT_EQ(drive.commit(step).outcome, StepOutcome::stale);
  EXPECT_EQ(events(), log);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::running);

  // The result is recorded, not applied.
  Step again = drive.closing(claimed, {.closed = succeeded()});
  again.generation = drive.job(job).generation;
  EXPECT_EQ(drive.commit(again).outcome, StepOutcome::applied);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::cancelled);
  EXPECT_EQ((*drive.records().attempts(claimed.task.id))[0].output, succeeded().output);
  EXPECT_TRUE(drive.job(job).has_ended());
}

TEST_P(Committing, a_batch_answers_for_each_step_and_is_numbered) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x", "y", "z"});
  const std::vector<Claimed> claimed = drive.claim();
  std::vector<Step> steps;
  for (const Claimed& one : claimed) {
    steps.push_back(drive.closing(one, {.closed = succeeded()}));
  }
  steps[1].expected += 5;
  const Result<Committed> done = drive.store().commit(drive.worker(), 41, steps);
  ASSERT_TRUE(done);
  ASSERT_THAT(done->steps, SizeIs(3));
  EXPECT_EQ(done->steps[0].outcome, StepOutcome::applied);
  EXPECT_EQ(done->steps[1].outcome, StepOutcome::fenced);
  EXPECT_EQ(done->steps[2].outcome, StepOutcome::applied);
  ASSERT_THAT(done->jobs, SizeIs(1));
  EXPECT_EQ(done->jobs[0].job, job);
  EXPECT_EQ(done->jobs[0].generation, drive.job(job).generation);
  EXPECT_EQ(drive.records().worker(drive.worker())->last_batch, 41);
  ASSERT_TRUE(drive.store().commit(drive.worker(), 42, std::span(&steps[0], 1)));
  EXPECT_EQ(drive.records().worker(drive.worker())->last_batch, 42) << "also when all is fenced";
}

// The first answer was lost: only the store knows what the batch opened.
TEST_P(Committing, a_batch_that_comes_again_is_told_to_be_written_and_changes_nothing) {
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b", {"a"})}), {"x"});
  Step step = drive.closing(drive.claim()[0], {.closed = succeeded()});
  step.open_for = drive.worker();
  step.open_max = 1;
  const std::span<const Step> steps(&step, 1);
  ASSERT_TRUE(drive.store().commit(drive.worker(), 7, steps));
  const Result<Committed> again = drive.store().commit(drive.worker(), 7, steps);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::unavailable);
  EXPECT_THAT(again.error().message, HasSubstr("batch 7"));
  EXPECT_EQ(drive.records().worker(drive.worker())->last_batch, 7);
  EXPECT_EQ(drive.job(job).attempts_opened, 2);
  // The next batch is accepted as usual.
  EXPECT_TRUE(drive.store().commit(drive.worker(), 8, steps));
}

// The end of the first child ends its parent, and thereby the second child, whose result is too
// late.
TEST_P(Committing, what_a_step_ends_stays_ended_although_its_result_is_in_the_same_batch) {
  StageDefinition fan = stage("a");
  fan.tolerate_failures = {.count = 0};
  const JobId job = drive.submit(workflow("w", {fan}), {"x"});
  const Claimed parent = drive.claim()[0];
  Attempt expanded;
  expanded.result = AttemptResult::expanded;
  ASSERT_EQ(drive
                .commit(drive.closing(
                    parent, {.closed = expanded, .children = {{"p", Json(1)}, {"q", Json(2)}}}))
                .outcome,
            StepOutcome::applied);
  const std::vector<Claimed> children = drive.claim();
  ASSERT_THAT(children, SizeIs(2));
  const std::vector<Step> steps{
      drive.closing(children[0], {.closed = failed("torn", ErrorClass::final)}),
      drive.closing(children[1], {.closed = succeeded()})};
  const Result<Committed> done = drive.store().commit(drive.worker(), 7, steps);
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(done->steps[0].outcome, StepOutcome::applied);
  EXPECT_EQ(done->steps[1].outcome, StepOutcome::fenced);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::failed);
  const std::vector<Attempt> attempts = *drive.records().attempts(children[1].task.id);
  ASSERT_THAT(attempts, SizeIs(1));
  EXPECT_EQ(attempts[0].result, AttemptResult::interrupted);
  EXPECT_EQ(attempts[0].cancelled_by, CancelCause::tolerance);
}

TEST_P(Committing, what_becomes_ready_is_opened_in_the_same_step_where_wanted) {
  const JobId job = drive.submit(
      workflow("w", {with_attempts(stage("a"), 2), stage("b", {"a"}), stage("c", {"a"})}), {"x"});
  const Claimed claimed = drive.claim()[0];
  Step retry = drive.closing(claimed, {.closed = failed("busy")});
  retry.open_for = drive.worker();
  retry.open_max = 1;
  const StepAnswer again = drive.commit(retry);
  ASSERT_THAT(again.opened, SizeIs(1)) << "a retry without delay";
  EXPECT_EQ(again.opened[0].attempts, 2U);
  EXPECT_EQ(again.opened[0], drive.task(job, "x"));

  Step done = drive.closing({.task = again.opened[0]}, {.closed = succeeded()});
  done.open_for = drive.worker();
  done.open_max = 1;
  const StepAnswer next = drive.commit(done);
  ASSERT_THAT(next.opened, SizeIs(1)) << "no more than asked";
  EXPECT_EQ(next.opened[0].stage(), second);
  EXPECT_TRUE(next.made_ready);
  EXPECT_EQ(drive.task(job, "x", 2).kind(), StateKind::ready);
}

TEST_P(Committing, notices_of_changes_come_with_every_write) {
  const std::uint64_t before = drive.store().change_mark();
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  const std::uint64_t submitted = drive.store().change_mark();
  EXPECT_NE(submitted, before);
  EXPECT_EQ(drive.store().change_mark(), submitted);
  ASSERT_TRUE(drive.act(PauseJob{job}));
  EXPECT_NE(drive.store().change_mark(), submitted);
}

// architecture, hard part 1; I7
TEST_P(Joining, a_diamond_waits_for_both_sides_and_runs_once) {
  const JobId job = drive.submit(workflow("diamond", {stage("a"), stage("b", {"a"}),
                                                      stage("c", {"a"}), stage("d", {"b", "c"})}),
                                 {"x"});
  drive.close(drive.claim()[0], succeeded());
  const std::vector<Claimed> sides = drive.claim();
  ASSERT_THAT(sides, SizeIs(2));
  EXPECT_EQ(drive.records().task(drive.task_of(job, "x", 3)).error().code, ErrorCode::not_found)
      << "nothing is stored before a need is satisfied";

  const Step left = drive.closing(sides[0], {.closed = succeeded()});
  EXPECT_EQ(drive.commit(left).outcome, StepOutcome::applied);
  EXPECT_EQ(std::get<Waiting>(drive.task(job, "x", 3).state).satisfied, 1U);
  EXPECT_THAT(drive.claim(), IsEmpty());
  EXPECT_EQ(drive.commit(left).outcome, StepOutcome::fenced) << "no need is satisfied twice";
  EXPECT_EQ(std::get<Waiting>(drive.task(job, "x", 3).state).satisfied, 1U);

  drive.close(sides[1], succeeded());
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Joining, the_needs_may_be_satisfied_in_any_order) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), stage("b"), stage("d", {"a", "b"})}), {"x"});
  const std::vector<Claimed> sides = drive.claim();
  drive.close(sides[1], succeeded());
  EXPECT_EQ(std::get<Waiting>(drive.task(job, "x", 2).state).satisfied, 2U);
  drive.close(sides[0], succeeded());
  EXPECT_EQ(drive.task(job, "x", 2).kind(), StateKind::ready);
}

// The most needs there may be, down to the last bit of the mask.
TEST_P(Joining, sixty_four_needs_are_all_waited_for) {
  std::vector<StageDefinition> stages;
  std::vector<std::string> needs;
  for (int i = 0; i < 64; ++i) {
    needs.push_back("s" + std::to_string(i));
    stages.push_back(stage(needs.back()));
  }
  stages.push_back(stage("join", needs));
  const JobId job = drive.submit(workflow("wide", stages), {"x"});
  std::vector<Claimed> sides = drive.claim();
  ASSERT_THAT(sides, SizeIs(64));
  std::swap(sides[0], sides[63]);  // bit 63 first
  for (std::size_t i = 0; i < 63; ++i) {
    drive.close(sides[i], succeeded());
    ASSERT_EQ(drive.task(job, "x", 64).kind(), StateKind::waiting);
  }
  EXPECT_EQ(std::get<Waiting>(drive.task(job, "x", 64).state).satisfied, ~std::uint64_t{1});
  drive.close(sides[63], succeeded());
  EXPECT_EQ(drive.task(job, "x", 64).kind(), StateKind::ready);
}

}  // namespace
}  // namespace pawl::driving
