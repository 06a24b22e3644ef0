/// Rates: at most so many attempts are opened within any period, for all users of the store.

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

class Rates : public Contract {
 protected:
  static StageDefinition rated(std::string name, Rate rate, std::vector<std::string> needs = {}) {
    StageDefinition made = stage(std::move(name), std::move(needs));
    made.limits = {.pool = "api", .parallel = 0, .rate = rate};
    return made;
  }
  static std::vector<std::string> keys(int count) {
    std::vector<std::string> made;
    for (int i = 0; i < count; ++i) made.push_back("k" + std::to_string(i));
    return made;
  }
  static Step and_open(Step step, WorkerId worker) {
    step.open_for = worker;
    step.open_max = 10;
    return step;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, Rates, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(Rates, allow_a_burst_and_then_nothing_until_exactly_their_time_has_passed) {
  drive.submit(workflow("w", {rated("call", {.count = 3, .per = 1min})}), keys(10));
  const Timestamp start = drive.clock().now();
  const Claims burst = drive.claim_for(drive.worker());
  EXPECT_THAT(burst.opened, SizeIs(3));
  EXPECT_EQ(burst.next_open, start + 1min);
  ASSERT_THAT(burst.held_rates, SizeIs(1));
  EXPECT_EQ(burst.held_rates[0].pool, "api");
  EXPECT_EQ(burst.held_rates[0].until, start + 1min);

  drive.clock().advance(1min - 1us);
  const Claims early = drive.claim_for(drive.worker());
  EXPECT_THAT(early.opened, IsEmpty());
  EXPECT_EQ(early.next_open, start + 1min);
  drive.clock().advance(1us);
  EXPECT_THAT(drive.claim_for(drive.worker()).opened, SizeIs(3));
}

TEST_P(Rates, hold_within_any_stretch_and_not_only_from_the_first_opening) {
  drive.submit(workflow("w", {rated("call", {.count = 2, .per = 60s})}), keys(6));
  const Timestamp start = drive.clock().now();
  EXPECT_THAT(drive.claim(1), SizeIs(1));  // at 0
  drive.clock().advance(50s);
  EXPECT_THAT(drive.claim(), SizeIs(1));  // at 50
  drive.clock().advance(10s);
  const Claims one = drive.claim_for(drive.worker());  // at 60 the first has aged out
  EXPECT_THAT(one.opened, SizeIs(1));
  EXPECT_EQ(one.next_open, start + 110s);
  drive.clock().advance_to(start + 110s);
  EXPECT_THAT(drive.claim(), SizeIs(1));
}

TEST_P(Rates, readers_see_when_the_counted_attempts_were_opened) {
  drive.submit(workflow("w", {rated("call", {.count = 2, .per = 60s})}), keys(6));
  const Timestamp start = drive.clock().now();
  EXPECT_EQ(*drive.records().opening_before("api", 2), no_time);
  EXPECT_THAT(drive.claim(1), SizeIs(1));
  drive.clock().advance(50s);
  EXPECT_THAT(drive.claim(), SizeIs(1));
  EXPECT_EQ(*drive.records().opening_before("api", 1), start + 50s);
  EXPECT_EQ(*drive.records().opening_before("api", 2), start);
  EXPECT_EQ(*drive.records().opening_before("another", 1), no_time);
}

TEST_P(Rates, a_claim_that_nothing_stood_in_the_way_of_says_so) {
  drive.submit(workflow("w", {rated("call", {.count = 3, .per = 1min})}), keys(3));
  const Claims all = drive.claim_for(drive.worker());
  EXPECT_THAT(all.opened, SizeIs(3));
  EXPECT_EQ(all.next_open, no_time);
  EXPECT_THAT(all.held_rates, IsEmpty());
}

TEST_P(Rates, are_shared_by_workers_jobs_and_the_stages_of_a_pool) {
  const Rate rate{.count = 3, .per = 1min};
  StageDefinition also = stage("also");
  also.limits.pool = "api";  // sets no limit, so that of the pool applies
  drive.submit(workflow("one", {rated("call", rate)}), keys(2));
  drive.submit(workflow("two", {rated("call", rate), also}), keys(2));
  const WorkerId other = drive.enlist();
  EXPECT_THAT(drive.claim_for(drive.worker(), 1).opened, SizeIs(2)) << "one of each job";
  EXPECT_THAT(drive.claim_for(other).opened, SizeIs(1));
  EXPECT_THAT(drive.claim_for(other).opened, IsEmpty());
  drive.clock().advance(1min);
  EXPECT_THAT(drive.claim_for(other).opened, SizeIs(3));
}

TEST_P(Rates, stand_in_the_way_of_no_other_stage) {
  drive.submit(workflow("w", {rated("call", {.count = 1, .per = 1h}), stage("local")}), keys(4));
  const std::vector<Claimed> opened = drive.claim(5);
  EXPECT_EQ(
      std::ranges::count_if(opened, [](const Claimed& one) { return one.task.stage() == first; }),
      1);
  EXPECT_THAT(opened, SizeIs(5));
}

TEST_P(Rates, without_a_pool_are_the_stages_own) {
  StageDefinition a = stage("a");
  a.limits.rate = {.count = 1, .per = 1min};
  StageDefinition b = stage("b");
  b.limits.rate = {.count = 2, .per = 1min};
  drive.submit(workflow("w", {a, b}), keys(5));
  EXPECT_THAT(drive.claim(), SizeIs(3));
}

TEST_P(Rates, count_every_retry) {
  StageDefinition call = with_attempts(rated("call", {.count = 2, .per = 1min}), 3);
  const JobId job = drive.submit(workflow("w", {call}), {"a"});
  Claimed one = drive.claim().front();
  const StepAnswer again = drive.commit(
      and_open(drive.closing(one, {.closed = failed("busy"), .children = {}}), drive.worker()));
  ASSERT_THAT(again.opened, SizeIs(1)) << "the second within the minute";
  one.task = again.opened.front();
  const StepAnswer refused = drive.commit(
      and_open(drive.closing(one, {.closed = failed("busy"), .children = {}}), drive.worker()));
  EXPECT_THAT(refused.opened, IsEmpty());
  EXPECT_TRUE(refused.made_ready);
  EXPECT_EQ(drive.task(job, "a").kind(), StateKind::ready);
  EXPECT_THAT(drive.claim(), IsEmpty());
  drive.clock().advance(1min);
  EXPECT_THAT(drive.claim(), SizeIs(1));
}

TEST_P(Rates, hold_for_what_a_close_and_a_submission_would_open) {
  const Workflow flow =
      workflow("w", {stage("first"), rated("call", {.count = 2, .per = 1min}, {"first"})});
  const JobId job = drive.submit(flow, keys(3));
  std::vector<StepAnswer> answers;
  for (const Claimed& one : drive.claim()) {
    answers.push_back(drive.commit(
        and_open(drive.closing(one, {.closed = succeeded(), .children = {}}), drive.worker())));
  }
  EXPECT_THAT(answers[0].opened, SizeIs(1));
  EXPECT_THAT(answers[1].opened, SizeIs(1));
  EXPECT_THAT(answers[2].opened, IsEmpty());
  EXPECT_TRUE(answers[2].made_ready);
  EXPECT_EQ(drive.task(job, "k2", 1).kind(), StateKind::ready);

  drive.clock().advance(1min);
  std::vector<NewItem> items;
  for (const std::string& key : keys(4)) items.push_back({.key = key, .data = {}});
  const Submitted submitted = *drive.store().submit(
      {.workflow = workflow("direct", {rated("call", {.count = 2, .per = 1min})})},
      {.items = items, .close = true, .open_for = drive.worker(), .open_max = 10});
  EXPECT_THAT(submitted.items.opened, SizeIs(2));
}

TEST_P(Rates, are_asked_before_a_condition_is_and_again_when_it_holds) {
  StageDefinition call = rated("call", {.count = 1, .per = 1min});
  call.conditional = true;
  drive.submit(workflow("w", {call}), keys(2));
  const Claims asked = drive.claim_for(drive.worker());
  ASSERT_THAT(asked.conditional, SizeIs(2));
  std::vector<StepAnswer> answers;
  for (const Claimed& one : asked.conditional) {
    Step step{.was = StateKind::ready, .expected = one.task.version, .next = one.task};
    answers.push_back(drive.commit(and_open(std::move(step), drive.worker())));
  }
  EXPECT_THAT(answers[0].opened, SizeIs(1));
  EXPECT_THAT(answers[1].opened, IsEmpty());
  EXPECT_TRUE(answers[1].made_ready);
  const Claims later = drive.claim_for(drive.worker());
  EXPECT_THAT(later.conditional, IsEmpty());
  EXPECT_EQ(later.next_open, drive.clock().now() + 1min);
}

TEST_P(Rates, jobs_that_give_a_pool_different_ones_are_each_held_to_their_own) {
  const JobId slow =
      drive.submit(workflow("slow", {rated("call", {.count = 2, .per = 1h})}), keys(5));
  EXPECT_THAT(drive.claim(), SizeIs(2));
  drive.submit(workflow("fast", {rated("call", {.count = 1, .per = 1s})}), keys(5));
  for (int i = 0; i < 4; ++i) {
    drive.clock().advance(1s);
    const std::vector<Claimed> opened = drive.claim();
    ASSERT_THAT(opened, SizeIs(1));
    EXPECT_NE(opened[0].task.job, slow) << "two of the pool were opened within the hour";
  }
}

// What one opening makes the pool forget does not count for the next one of the same transaction.
TEST_P(Rates, that_differ_in_one_pool_are_judged_alike_within_a_transaction_and_after_it) {
  drive.submit(workflow("fast", {rated("call", {.count = 1, .per = 1s})}), keys(5));
  EXPECT_THAT(drive.claim(), SizeIs(1));
  drive.submit(workflow("wide", {rated("call", {.count = 2, .per = 10s})}), keys(5));
  drive.clock().advance(2s);
  const Timestamp now = drive.clock().now();
  const Claims claims = drive.claim_for(drive.worker());
  EXPECT_THAT(claims.opened, SizeIs(2)) << "one of each";
  ASSERT_THAT(claims.held_rates, SizeIs(1));
  EXPECT_EQ(claims.held_rates[0].until, now + 10s);
}

TEST_P(Rates, a_thousand_openings_keep_to_the_limit) {
  drive.submit(workflow("w", {rated("call", {.count = 100, .per = 1s})}), keys(1'000));
  const Timestamp start = drive.clock().now();
  std::size_t opened = 0;
  for (;;) {
    const Claims claims = drive.claim_for(drive.worker(), 70);
    opened += claims.opened.size();
    if (claims.next_open == no_time && claims.opened.empty()) break;
    if (claims.next_open != no_time) drive.clock().advance_to(claims.next_open);
  }
  EXPECT_EQ(opened, 1'000U);
  EXPECT_EQ(drive.clock().now() - start, 9s);
}

}  // namespace
}  // namespace pawl::driving
