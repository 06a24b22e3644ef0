/// A commit that claims tasks for the slots it frees: as many, by the same rules, and never for a
/// worker that is gone.

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class Refilling : public Contract {
 protected:
  /// Closes these as succeeded, and lets the commit claim from all Ready tasks.
  Committed close_and_refill(const std::vector<Claimed>& claimed, WorkerId worker) {
    std::vector<Step> steps;
    for (const Claimed& one : claimed) {
      steps.push_back(drive.closing(one, {.closed = succeeded()}));
    }
    Result<Committed> done = drive.store().commit(worker, drive.next_batch(), steps,
                                                  {.shares = drive.everything(worker).shares});
    EXPECT_TRUE(done) << (done ? "" : done.error().text());
    return std::move(*done);
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Refilling, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(Refilling, a_commit_fills_the_slots_that_it_frees_and_no_more) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"p", "q", "r", "s", "t"});
  const std::vector<Claimed> two = drive.claim(2);
  ASSERT_THAT(two, SizeIs(2));
  const Committed refilled = close_and_refill(two, drive.worker());
  ASSERT_THAT(refilled.claims.opened, SizeIs(2)) << "three were ready";
  EXPECT_FALSE(refilled.is_short);
  EXPECT_EQ(refilled.claims.opened[0].item_key, "r") << "the oldest";
  EXPECT_EQ(refilled.claims.opened[0].task, drive.task(job, "r")) << "recorded before it runs";
  EXPECT_EQ(drive.job(job).attempts_open, 2);

  const Committed last = close_and_refill(refilled.claims.opened, drive.worker());
  EXPECT_THAT(last.claims.opened, SizeIs(1)) << "no more was ready";
  EXPECT_TRUE(last.is_short);
}

TEST_P(Refilling, a_slot_that_a_step_keeps_for_its_next_stage_is_not_free) {
  drive.submit(workflow("w", {stage("a"), stage("b", {"a"})}), {"x", "y"});
  const Claimed one = drive.claim(1)[0];
  Step step = drive.closing(one, {.closed = succeeded()});
  step.open_for = drive.worker();
  step.open_max = 1;
  const Result<Committed> done =
      drive.store().commit(drive.worker(), drive.next_batch(), std::span(&step, 1),
                           {.shares = drive.everything(drive.worker()).shares});
  ASSERT_TRUE(done);
  EXPECT_THAT(done->steps[0].opened, SizeIs(1));
  EXPECT_THAT(done->claims.opened, IsEmpty());
}

TEST_P(Refilling, a_step_that_is_fenced_frees_nothing) {
  drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  Step step = drive.closing(drive.claim(1)[0], {.closed = succeeded()});
  step.expected += 5;
  const Result<Committed> done =
      drive.store().commit(drive.worker(), drive.next_batch(), std::span(&step, 1),
                           {.shares = drive.everything(drive.worker()).shares});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->steps[0].outcome, StepOutcome::fenced);
  EXPECT_THAT(done->claims.opened, IsEmpty());
}

TEST_P(Refilling, a_job_that_was_paused_meanwhile_is_not_claimed_from) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  const std::vector<Claimed> one = drive.claim(1);
  const std::vector<LaneShare> shares = drive.everything(drive.worker()).shares;
  ASSERT_TRUE(drive.store().act(PauseJob{.job = job}));
  const Step step = drive.closing(one[0], {.closed = succeeded()});
  const Result<Committed> done = drive.store().commit(drive.worker(), drive.next_batch(),
                                                      std::span(&step, 1), {.shares = shares});
  ASSERT_TRUE(done);
  EXPECT_THAT(done->claims.opened, IsEmpty());
  EXPECT_THAT(done->claims.refused, SizeIs(1)) << "and the worker learns why";
}

TEST_P(Refilling, a_job_that_these_steps_end_is_not_claimed_from) {
  const Workflow flow = workflow("w", {stage("a")});
  const JobId job = drive.submit(flow, {"x", "y", "z"},
                                 NewJob{.workflow = flow, .tolerate_failures = {.count = 0}});
  const Step step = drive.closing(drive.claim(1)[0], {.closed = failed("bad", ErrorClass::final)});
  const Result<Committed> done =
      drive.store().commit(drive.worker(), drive.next_batch(), std::span(&step, 1),
                           {.shares = drive.everything(drive.worker()).shares});
  ASSERT_TRUE(done);
  EXPECT_EQ(drive.job(job).cancelled, CancelCause::tolerance);
  EXPECT_THAT(done->claims.opened, IsEmpty()) << "one failure was already too many";
}

TEST_P(Refilling, nothing_is_claimed_for_a_worker_that_has_signed_off) {
  drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  const WorkerId other = drive.enlist();
  const Claims claims = drive.claim_for(other, 1);
  ASSERT_TRUE(drive.store().retire(other));
  const Committed done = close_and_refill(claims.opened, other);
  EXPECT_THAT(done.claims.opened, IsEmpty());
}

}  // namespace
}  // namespace pawl::driving
