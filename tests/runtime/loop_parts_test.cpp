/// The parts of the loop, each on its own.

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/claimer.hpp"
#include "runtime/commit_queue.hpp"
#include "runtime/errand.hpp"
#include "runtime/held_attempts.hpp"
#include "runtime/lease.hpp"
#include "runtime/status_board.hpp"

namespace pawl::runtime {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp noon{std::chrono::hours(1'000'000)};
constexpr WorkerId us{7};

TEST(LeaseOfAWorker, is_renewed_after_a_third_of_it_and_once_at_a_time) {
  Lease lease(60s, noon);
  EXPECT_EQ(lease.next_renewal(), noon + 20s);
  EXPECT_TRUE(lease.begin_renewal(noon + 20s));
  EXPECT_FALSE(lease.begin_renewal(noon + 40s)) << "the first has not been answered";
  lease.end_renewal();
  EXPECT_FALSE(lease.renewed(noon + 20s, noon + 41s)) << "it had not been over";
  EXPECT_EQ(lease.over_at(), noon + 20s + 60s + 1s) << "it counts from when it was sent";
}

TEST(LeaseOfAWorker, is_over_a_moment_after_it_ran_out_and_a_renewal_under_way_gets_the_moment) {
  Lease lease(60s, noon);
  EXPECT_EQ(lease.over_at(), noon + 61s);
  ASSERT_TRUE(lease.begin_renewal(noon + 60s + 500ms));
  EXPECT_EQ(lease.over_at(), noon + 61s + 500ms);
  EXPECT_TRUE(lease.run_out(noon + 62s));
  EXPECT_FALSE(lease.run_out(noon + 63s)) << "that is known";
  EXPECT_TRUE(lease.is_over());
  EXPECT_EQ(lease.next_renewal(), noon + 62s + 500ms) << "it is tried again soon";
  EXPECT_TRUE(lease.renewed(noon + 63s, noon + 64s));
  EXPECT_FALSE(lease.is_over());
}

TEST(LeaseOfAWorker, lets_the_others_renew_theirs_before_it_judges_them_again) {
  Lease lease(60s, noon);
  EXPECT_TRUE(lease.may_judge_others(noon));
  EXPECT_FALSE(lease.renewal_failed(noon + 20s)) << "it has not run out";
  EXPECT_FALSE(lease.may_judge_others(noon + 21s));
  EXPECT_TRUE(lease.renewal_failed(noon + 61s));
  (void)lease.renewed(noon + 70s, noon + 70s);
  EXPECT_FALSE(lease.may_judge_others(noon + 89s));
  EXPECT_TRUE(lease.may_judge_others(noon + 90s));
}

Step step_of(std::int64_t task) {
  Step step;
  step.next.id = TaskId{task};
  return step;
}

std::vector<std::int64_t> tasks_of(const Batch& batch) {
  std::vector<std::int64_t> tasks;
  for (const Step& step : batch.steps) tasks.push_back(step.next.id.value());
  return tasks;
}

/// The next batch, after it was sent.
std::shared_ptr<Batch> send_next(CommitQueue& queue) {
  std::shared_ptr<Batch> batch = queue.take_part();
  if (!batch) batch = queue.take_pending();
  queue.sent(*batch, us);
  return batch;
}

TEST(Commits, have_the_parts_of_a_refused_batch_before_what_is_pending_and_lose_no_step) {
  CommitQueue queue;
  for (std::int64_t task = 1; task <= 5; ++task) queue.add(step_of(task));
  const std::shared_ptr<Batch> refused = send_next(queue);
  queue.add(step_of(6));
  EXPECT_TRUE(queue.is_out());
  queue.answered();
  queue.halve(*refused);
  std::vector<std::int64_t> sent;
  BatchNumber before = refused->number;
  for (int i = 0; i < 3; ++i) {
    const std::shared_ptr<Batch> batch = send_next(queue);
    for (const std::int64_t task : tasks_of(*batch)) sent.push_back(task);
    EXPECT_NE(batch->number, before) << "no number is sent twice";
    before = batch->number;
    queue.answered();
  }
  EXPECT_EQ(sent, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(queue.is_empty());
}

TEST(Commits, of_unknown_outcome_are_held_and_looked_up_after_a_pause_that_grows) {
  CommitQueue queue;
  queue.add(step_of(1));
  const std::shared_ptr<Batch> batch = send_next(queue);
  queue.hold(batch, noon);
  EXPECT_TRUE(queue.is_out()) << "nothing else is sent meanwhile";
  EXPECT_FALSE(queue.is_lookup_due(noon));
  EXPECT_EQ(queue.next_wake(), noon + 50ms);
  EXPECT_TRUE(queue.is_lookup_due(noon + 50ms));
  EXPECT_EQ(queue.take_held(), batch);
  EXPECT_EQ(queue.next_wake(), no_time) << "the lookup is under way";
  queue.hold(batch, noon + 1s);
  EXPECT_EQ(queue.next_wake(), noon + 1s + 100ms);
  for (int i = 0; i < 10; ++i) queue.hold(batch, noon);
  EXPECT_EQ(queue.next_wake(), noon + 5s);
  queue.acknowledged(*batch, us);
  EXPECT_EQ(queue.newest_acknowledged(), batch->number);
  queue.hold(batch, noon);
  EXPECT_EQ(queue.next_wake(), noon + 50ms) << "the store had answered";
}

TEST(Commits, wait_for_company_where_nobody_waits_for_them_and_not_for_long) {
  CommitQueue queue;
  queue.add(step_of(1));
  EXPECT_FALSE(queue.waits_for_company(false, noon));
  EXPECT_TRUE(queue.waits_for_company(true, noon));
  EXPECT_EQ(queue.next_wake(), noon + 10ms);
  EXPECT_TRUE(queue.waits_for_company(true, noon + 9ms));
  EXPECT_FALSE(queue.waits_for_company(true, noon + 10ms));
  for (std::int64_t task = 2; task <= 64; ++task) queue.add(step_of(task));
  EXPECT_FALSE(queue.waits_for_company(true, noon)) << "there is company";
}

TEST(Commits, that_another_id_of_this_worker_sent_are_not_its_newest) {
  CommitQueue queue;
  queue.add(step_of(1));
  const std::shared_ptr<Batch> batch = send_next(queue);
  queue.acknowledged(*batch, WorkerId{8});
  EXPECT_EQ(queue.newest_acknowledged(), 0);
}

TEST(Claims, go_out_one_at_a_time_and_hold_back_pools_until_their_time) {
  Claimer claimer({}, {});
  EXPECT_TRUE(claimer.is_wanted()) << "an engine looks when it starts";
  claimer.begin_look();
  claimer.want();
  EXPECT_FALSE(claimer.is_wanted()) << "one is out";
  claimer.end();
  EXPECT_TRUE(claimer.is_wanted());
  claimer.begin_look();
  claimer.end();

  claimer.hold_back("api", noon + 5s, noon);
  EXPECT_TRUE(claimer.is_held_back("api", noon + 4s));
  EXPECT_FALSE(claimer.is_held_back("other", noon));
  EXPECT_EQ(claimer.next_release(), noon + 5s);
  claimer.release_due(noon + 4s);
  EXPECT_FALSE(claimer.is_wanted());
  claimer.release_due(noon + 5s);
  EXPECT_TRUE(claimer.is_wanted());
  EXPECT_EQ(claimer.next_release(), no_time);
}

TEST(ClaimFailures, are_reported_once_until_one_succeeds) {
  Claimer claimer({}, {});
  EXPECT_TRUE(claimer.note_failure());
  EXPECT_FALSE(claimer.note_failure());
  claimer.note_answer({}, {});
  EXPECT_TRUE(claimer.note_failure());
}

TEST(Status, of_an_engine_that_drains_shows_a_claim_that_may_still_bring_something) {
  StatusBoard board(us, 4);
  EXPECT_EQ(board.spare_room(), 4U);
  EXPECT_TRUE(board.announce_claim());
  board.drain();
  EXPECT_EQ(board.status(0).open_attempts, 1) << "it was announced before";
  board.end_claim();
  EXPECT_EQ(board.status(0).open_attempts, 0);
  EXPECT_FALSE(board.announce_claim()) << "it comes too late";
  EXPECT_EQ(board.status(0).open_attempts, 0);
  EXPECT_EQ(board.spare_room(), 0U);
}

TEST(Status, counts_what_is_on_its_way_and_keeps_the_first_fault) {
  StatusBoard board(us, 4);
  board.set_open(1);
  board.add_arriving(2);
  EXPECT_EQ(board.spare_room(), 1U);
  board.add_arriving(-2);
  EXPECT_EQ(board.spare_room(), 3U);
  EXPECT_TRUE(board.set_store_up(false));
  EXPECT_EQ(board.spare_room(), 0U) << "nothing is opened without the store";
  EXPECT_TRUE(board.set_fault({ErrorCode::corrupt, "damaged", {}}));
  EXPECT_FALSE(board.set_fault({ErrorCode::invalid, "refused", {}}));
  EXPECT_EQ(board.status(3).fault->message, "damaged");
  EXPECT_EQ(board.status(3).abandoned, 3);
}

// Its step was with the store when the store was set back; then it was refused as stale.
TEST(HeldAttempt, whose_cancel_was_forgotten_is_interrupted_also_if_its_result_comes_back_later) {
  HeldAttempt held;
  held.stop_reason = StopReason::cancel;
  held.forget_cancel();
  EXPECT_EQ(held.stop_reason, StopReason::lease);
  held.finished = std::make_unique<Finished>();
  held.finished->draft.result = AttemptResult::cancelled;
  held.forget_cancel();
  EXPECT_EQ(held.finished->draft.result, AttemptResult::interrupted);
}

TEST(Errands, go_once_at_a_time_and_nobody_is_woken_for_one_that_is_out) {
  Errand errand;
  EXPECT_FALSE(errand.is_due(noon));
  errand.plan(noon + 5s);
  errand.plan_by(noon + 9s);
  EXPECT_EQ(errand.next(), noon + 5s);
  EXPECT_TRUE(errand.is_due(noon + 5s));
  EXPECT_TRUE(errand.begin());
  errand.plan(noon);
  EXPECT_FALSE(errand.is_due(noon + 1s));
  EXPECT_EQ(errand.next(), no_time);
  EXPECT_FALSE(errand.begin()) << "it is out";
  EXPECT_TRUE(errand.end()) << "it was wanted meanwhile";
  EXPECT_TRUE(errand.is_due(noon));
  EXPECT_TRUE(errand.begin());
  EXPECT_FALSE(errand.end());
}

}  // namespace
}  // namespace pawl::runtime
