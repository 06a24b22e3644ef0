/// Two processes on one file whose clocks differ by an hour, for example because one was started
/// before the clock of the machine was set. Shows what happens early, and what holds anyway.

#include <gmock/gmock.h>

#include "contract/drive.hpp"

namespace pawl::driving {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ClocksApart : public testing::Test {
 protected:
  ClocksApart() { fast.clock().advance(1h); }

  /// One retry, ten minutes after the first failure.
  static Workflow patient() {
    StageDefinition made = stage("work");
    made.retry.max_attempts = 2;
    made.retry.backoff = {.initial = 10min, .multiplier = 1.0};
    return workflow("patient", {made});
  }
  std::vector<Violation> violations() { return verify(fast.records())->violations; }
  std::vector<AttemptResult> results(TaskId task) {
    std::vector<AttemptResult> all;
    const std::vector<Attempt> attempts = *fast.records().attempts(task);
    for (const Attempt& one : attempts) all.push_back(one.result);
    return all;
  }

  TemporaryFolder folder;
  StoreKind same_file{.name = "sqlite", .open = [this](const Clock& clock) {
                        return *open_sqlite_store({.path = folder.path() / "store.db"}, clock);
                      }};
  Drive slow{same_file};
  Drive fast{same_file};
};

TEST_F(ClocksApart, a_lease_that_runs_out_early_costs_an_attempt_and_nothing_else) {
  const JobId job = slow.submit(patient(), {"a", "b", "c"});
  const WorkerId alive = slow.enlist(30s);
  const std::vector<Claimed> held = slow.claim_for(alive).opened;
  ASSERT_THAT(held, SizeIs(3));
  EXPECT_EQ(slow.close(held[0], succeeded(Json("in time"))), StepOutcome::applied);

  ASSERT_TRUE(slow.store().renew(alive)) << "its lease is whole";
  EXPECT_EQ(fast.store().sweep({.self = fast.worker()})->interrupted, 2)
      << "by the other clock it ran out an hour ago";
  const std::vector<Claimed> again = fast.claim();
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(again[0].task.attempts, 2U);
  EXPECT_EQ(again[0].task.counts.failures, 0U) << "an interruption uses no count";

  EXPECT_EQ(slow.commit(slow.closing(held[1], {.closed = succeeded(Json("late"))}), alive).outcome,
            StepOutcome::fenced);
  EXPECT_FALSE(slow.store().renew(alive)) << "it is told, and signs on anew";
  for (const Claimed& one : again) {
    EXPECT_EQ(fast.close(one, succeeded(Json("good"))), StepOutcome::applied);
  }
  EXPECT_EQ(slow.commit(slow.closing(held[2], {.closed = succeeded(Json("late"))}), alive).outcome,
            StepOutcome::fenced);

  EXPECT_EQ(state_of(fast.job(job)), JobState::completed);
  for (const Claimed& one : again) {
    EXPECT_EQ(fast.records().output(one.task.id)->output, Json("good"));
    EXPECT_THAT(results(one.task.id),
                testing::ElementsAre(AttemptResult::interrupted, AttemptResult::success));
  }
  EXPECT_EQ(fast.records().output(held[0].task.id)->output, Json("in time"));
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(ClocksApart, who_is_behind_takes_nothing_from_who_is_ahead) {
  fast.submit(patient(), {"a"});
  const WorkerId alive = fast.enlist(30s);
  const std::vector<Claimed> held = fast.claim_for(alive).opened;
  ASSERT_THAT(held, SizeIs(1));
  slow.clock().advance(59min);
  EXPECT_EQ(slow.store().sweep({.self = slow.worker()})->interrupted, 0);
  EXPECT_EQ(fast.commit(fast.closing(held[0], {.closed = succeeded()}), alive).outcome,
            StepOutcome::applied);
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(ClocksApart, a_retry_comes_early_by_as_much_as_they_differ_and_once) {
  const JobId job = slow.submit(patient(), {"a"});
  slow.close(slow.claim().at(0), failed("busy"));
  EXPECT_EQ(slow.store().sweep({.self = slow.worker()})->woken, 0) << "ten minutes are to pass";
  EXPECT_EQ(fast.store().sweep({.self = fast.worker()})->woken, 1);
  const std::vector<Claimed> second = fast.claim();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_THAT(slow.claim(), IsEmpty()) << "one of them has it";
  EXPECT_EQ(fast.close(second[0], succeeded()), StepOutcome::applied);
  EXPECT_EQ(state_of(fast.job(job)), JobState::completed);
  EXPECT_THAT(violations(), IsEmpty()) << "by the clock of who opened it, it was time";
}

// The only trace that differing clocks leave in the record.
TEST_F(ClocksApart, a_retry_woken_by_who_is_ahead_and_opened_by_who_is_behind_is_told_as_early) {
  const JobId job = slow.submit(patient(), {"a"});
  slow.close(slow.claim().at(0), failed("busy"));
  EXPECT_EQ(fast.store().sweep({.self = fast.worker()})->woken, 1);
  const std::vector<Claimed> second = slow.claim();
  ASSERT_THAT(second, SizeIs(1));
  EXPECT_EQ(slow.close(second[0], succeeded()), StepOutcome::applied);
  EXPECT_EQ(state_of(fast.job(job)), JobState::completed);
  EXPECT_THAT(violations(), SizeIs(1));
  EXPECT_THAT(violations(), Each(Field(&Violation::invariant, "I9")));
}

TEST_F(ClocksApart, two_who_work_beside_each_other_end_every_item_once) {
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("item-" + std::to_string(i));
  const JobId job = slow.submit(patient(), keys);
  const auto once_in_vain = [](const Claimed& claimed) {
    return claimed.task.counts.failures == 0 ? failed("busy") : succeeded();
  };
  // Each process holds some tasks while the other sweeps and works, with leases of half a minute.
  for (int round = 0; round < 200 && state_of(fast.job(job)) != JobState::completed; ++round) {
    Drive& one = round % 2 == 0 ? slow : fast;
    Drive& other = round % 2 == 0 ? fast : slow;
    const WorkerId worker = one.enlist(30s);
    const std::vector<Claimed> held = one.claim_for(worker, 4).opened;
    EXPECT_TRUE(other.store().sweep({.self = other.worker()}));
    for (const Claimed& claimed : other.claim(3)) {
      EXPECT_EQ(other.close(claimed, once_in_vain(claimed)), StepOutcome::applied);
    }
    for (const Claimed& claimed : held) {
      const StepOutcome outcome =
          one.commit(one.closing(claimed, {.closed = once_in_vain(claimed)}), worker).outcome;
      EXPECT_EQ(outcome, &one == &slow ? StepOutcome::fenced : StepOutcome::applied)
          << "who is behind is swept each time, who is ahead never";
    }
    slow.clock().advance(1min);
    fast.clock().advance(1min);
  }
  EXPECT_EQ(state_of(fast.job(job)), JobState::completed);
  EXPECT_EQ(fast.job(job).items.succeeded, 40);
  for (const std::string& key : keys) {
    const std::vector<AttemptResult> all = results(fast.task_of(job, key));
    EXPECT_EQ(std::ranges::count(all, AttemptResult::success), 1) << key;
    EXPECT_EQ(std::ranges::count(all, AttemptResult::failure), 1) << key;
  }
  EXPECT_THAT(violations(), Each(Field(&Violation::invariant, "I9")));
}

}  // namespace
}  // namespace pawl::driving
