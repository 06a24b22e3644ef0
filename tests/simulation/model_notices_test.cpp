/// Proves that the model can disagree: stores with one fault, and the difference that each of them
/// gets.

#include "simulation/noticing.hpp"

namespace pawl::simulation {
namespace {

using namespace std::chrono_literals;
using driving::always;
using driving::failed;
using driving::stage;
using driving::succeeded;
using driving::workflow;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(Noticing, nothing_where_nothing_is_broken) {
  drive.submit(workflow("w", {tried_twice(1s), stage("b", {"a"})}), {"x", "y"});
  drive.work([](const Claimed& claimed) -> driving::Work {
    return {.closed = claimed.task.attempts == 1 ? failed("busy") : succeeded()};
  });
  EXPECT_THAT(differences(), IsEmpty());
}

TEST_F(Noticing, a_task_of_a_paused_job_that_is_opened) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  broken->claims = [&](const ClaimRequest& request) {
    (void)broken->inner().act(ResumeJob{job});
    Result<Claims> claims = broken->inner().claim(request);
    (void)broken->inner().act(PauseJob{job});
    return claims;
  };
  ASSERT_TRUE(drive.act(PauseJob{job}));
  EXPECT_THAT(differences(), IsEmpty());
  (void)drive.claim();
  expect_noticed("job 1 item 'x' stage 'a': opened for worker 1, though its job is paused");
}

// I9
TEST_F(Noticing, a_retry_that_is_woken_early) {
  drive.submit(workflow("w", {tried_twice(60s)}), {"x"});
  drive.close(drive.claim()[0], failed("busy"));
  broken->sweeps = [&](const SweepRequest& request) {
    broken->inner_clock().ahead = 60s;
    Result<Swept> swept = broken->inner().sweep(request);
    broken->inner_clock().ahead = 0s;
    return swept;
  };
  drive.clock().advance(1us);
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  expect_noticed("sweep: woken: model 0, store 1");
  EXPECT_THAT(differences()[1],
              HasSubstr("job 1 item 'x' stage 'a': state: model retry_scheduled"));
}

TEST_F(Noticing, a_delay_that_is_a_microsecond_short) {
  broken->shown().alter_task = [](Task& task) {
    if (auto* scheduled = std::get_if<RetryScheduled>(&task.state)) scheduled->next_run_at -= 1us;
  };
  drive.submit(workflow("w", {tried_twice(60s)}), {"x"});
  drive.close(drive.claim()[0], failed("busy"));
  expect_noticed(
      "job 1 item 'x' stage 'a': state: model retry_scheduled at 1700000060000000, "
      "store retry_scheduled at 1700000059999999");
}

// I3
TEST_F(Noticing, an_attempt_number_that_is_used_again) {
  broken->shown().alter_task = [](Task& task) {
    if (task.attempts == 2) task.attempts = 1;
  };
  drive.submit(workflow("w", {tried_twice(0s)}), {"x"});
  drive.close(drive.claim()[0], failed("busy"));
  EXPECT_THAT(differences(), IsEmpty());
  (void)drive.claim();
  expect_noticed("job 1 item 'x' stage 'a': attempts: model 2, store 1");
}

// I4
TEST_F(Noticing, a_late_step_that_is_applied) {
  broken->commits = [&](WorkerId worker, BatchNumber batch, std::span<const Step> steps) {
    std::vector<Step> unfenced(steps.begin(), steps.end());
    for (Step& step : unfenced) {
      step.expected = broken->inner().records().task(step.next.id)->version;
      step.next.version = step.expected + 1;
    }
    return broken->inner().commit(worker, batch, unfenced);
  };
  drive.submit(workflow("w", {tried_twice(0s)}), {"x"});
  const WorkerId slow = drive.enlist(1s);
  const Claimed late = drive.claim_for(slow).opened[0];
  drive.clock().advance(2s);
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  ASSERT_EQ(drive.claim().size(), 1U);
  EXPECT_THAT(differences(), IsEmpty());
  (void)drive.close(late, succeeded());
  expect_noticed("job 1 item 'x' stage 'a': step 1 of batch 1: model fenced, store applied");
}

TEST_F(Noticing, a_step_that_is_not_written_though_it_was_answered_as_applied) {
  broken->commits = [&](WorkerId worker, BatchNumber batch, std::span<const Step> steps) {
    Result<Committed> nothing = broken->inner().commit(worker, batch, {});
    nothing->steps.resize(steps.size());
    return nothing;
  };
  drive.submit(workflow("w", {stage("a")}), {"x"});
  drive.close(drive.claim()[0], succeeded());
  expect_noticed(
      "job 1 item 'x' stage 'a': state: model succeeded by attempt 1 edited by 0, store "
      "running for worker 1");
}

TEST_F(Noticing, a_budget_that_is_off_by_one) {
  broken->creates = [&](NewJob job) {
    ++*job.budget.max_total_attempts;
    return broken->inner().create_job(job);
  };
  const Workflow flow = workflow("w", {stage("a")});
  drive.submit(flow, {"x", "y", "z"}, {.workflow = flow, .budget = {.max_total_attempts = 1}});
  (void)drive.claim(1);
  EXPECT_THAT(differences(), IsEmpty());
  (void)drive.claim(1);
  expect_noticed("job 1 item 'y' stage 'a': opened for worker 1, though");
}

TEST_F(Noticing, a_pool_and_a_rate_that_do_not_hold) {
  for (const Limits& limits : {Limits{.pool = "api", .parallel = 1, .rate = {}},
                               Limits{.pool = "web", .parallel = 0, .rate = {1, 60s}}}) {
    StageDefinition limited = stage("a");
    limited.limits = limits;
    // The store gets a workflow without the limit; the model knows the limit.
    broken->creates = [&](NewJob job) {
      job.workflow = workflow("w", {stage("a")});
      return broken->inner().create_job(job);
    };
    drive.submit(workflow("w", {limited}), {"x", "y"});
    (void)drive.claim();
  }
  EXPECT_THAT(differences(),
              ElementsAre("job 1 item 'y' stage 'a': opened for worker 1, though its pool is full",
                          "job 2 item 'y' stage 'a': opened for worker 1, though the rate of its "
                          "pool is used up"));
}

// I8
TEST_F(Noticing, an_answer_that_takes_effect_before_its_time) {
  const JobId job = drive.submit(workflow("w", {reviewed("a")}), {"x"});
  drive.work(always(succeeded()));
  broken->acts = [&](const Act& act) {
    AnswerReview answer = std::get<AnswerReview>(act);
    answer.answer.effective_at = no_time;
    return broken->inner().act(answer);
  };
  const ReviewId review = drive.records().reviews({.job = job})->front().id;
  ASSERT_TRUE(drive.act(
      AnswerReview{review, {.reviewer = "eve", .effective_at = drive.clock().now() + 5s}}));
  expect_noticed(
      "job 1 item 'x' stage 'a': state: model awaiting_review (policy), store succeeded");
}

TEST_F(Noticing, an_act_that_had_to_be_refused) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  drive.work(always(succeeded()));
  broken->acts = [&](const Act&) { return broken->inner().records().job(job); };
  ASSERT_TRUE(drive.act(PauseJob{job}));
  expect_noticed("act 1: model refused, store done in job 1");
}

// I10
TEST_F(Noticing, an_item_that_is_lost) {
  broken->shown().drop_item = [](const Item& item) { return item.key == "y"; };
  drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  expect_noticed("job 1: items: model 2, store 1");
}

// I12
TEST_F(Noticing, a_job_that_does_not_end) {
  broken->shown().alter_job = [](Job& job) { job.ended_at = no_time; };
  drive.submit(workflow("w", {stage("a")}), {"x"});
  drive.close(drive.claim()[0], succeeded());
  expect_noticed("job 1: ended at: model 1700000000000000, store never");
}

// I7
TEST_F(Noticing, a_stage_that_begins_before_its_needs) {
  broken->shown().alter_task = [](Task& task) {
    if (task.kind() == StateKind::waiting) task.state = Ready{};
  };
  drive.submit(workflow("w", {stage("a"), stage("b"), stage("c", {"a", "b"})}), {"x"});
  drive.close(drive.claim(1)[0], succeeded());
  expect_noticed("job 1 item 'x' stage 'c': state: model waiting with needs 1, store ready");
}

}  // namespace
}  // namespace pawl::simulation
