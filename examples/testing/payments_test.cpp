/// The tests of a workflow, with GoogleTest: a whole file to begin with.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "pawl/pawl.hpp"
#include "pawl/testing/testing.hpp"

namespace {

using namespace pawl::testing;
using namespace std::chrono_literals;

constexpr pawl::Duration day = 24h;

// The program under test. Yours comes from a header of your own.

/// The real thing: it would write to a bank.
pawl::Outcome call_the_bank(pawl::Context&, std::stop_token) {
  throw std::runtime_error("a test must not call the bank");
}

/// The real thing again: it would ask the bank whether the money has arrived.
pawl::Judgement ask_the_bank(const pawl::GateContext&, std::stop_token) {
  throw std::runtime_error("a test must not ask the bank");
}

/// A payment is tried again after two weeks, and a person looks at it.
pawl::Program payments(std::uint32_t attempts) {
  pawl::WorkflowBuilder build("payments");
  build.stage("pay", call_the_bank)
      .gate("arrived", ask_the_bank)
      .retry({.max_attempts = attempts,
              .backoff = {.initial = 14 * day, .multiplier = 1.0},
              .gate_timeout = 1min});
  build.human_stage("check").needs("pay");
  return built(build);
}

TEST(Payments, are_made_after_two_weeks_when_the_bank_was_closed) {
  World world;
  world.stage("pay", Script{}
                         .then(fails("the bank is closed"))
                         .then(succeeds({{"paid", true}}))
                         .item("rent")
                         .then(succeeds({{"paid", true}}).after(2h)));
  world.gate("pay", "arrived", GateScript{}.then(accepts()));
  world.reviewer("check", Reviewer("grace").approves_after(3 * day));

  const pawl::JobId job = world.submit(payments(3), items({"rent", "water"}));
  EXPECT_EQ(world.finish(job), pawl::JobState::completed) << world.story(job);
  EXPECT_EQ(world.elapsed(), 17 * day);
  EXPECT_EQ(world.attempts(job, "water", "pay").size(), 2U);
  EXPECT_EQ(world.output(job, "rent", "pay").text(), R"({"paid":true})");
}

TEST(Payments, bear_a_crash_when_the_money_has_gone) {
  World world;
  world.stage("pay", Script{}.then(succeeds({{"paid", true}})));
  world.gate("pay", "arrived", GateScript{}.then(accepts()));
  world.reviewer(Reviewer("grace").approves());
  world.crash_after("pay", "rent");  // paid, and nobody has written it down

  const pawl::JobId job = world.submit(payments(3), items({"rent"}));
  EXPECT_EQ(world.finish(job), pawl::JobState::completed) << world.story(job);
  const std::vector<Call> calls = world.calls("pay");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].idempotency_key, calls[1].idempotency_key);
  EXPECT_TRUE(world.violations().empty());
}

TEST(Payments, are_tried_again_when_the_bank_does_not_say_in_time) {
  World world;
  world.stage("pay", Script{}.then(succeeds({{"paid", true}})));
  world.gate("pay", "arrived", GateScript{}.then(accepts().after(5min)).then(accepts().after(20s)));
  world.reviewer(Reviewer("grace").approves());

  const pawl::JobId job = world.submit(payments(3), items({"rent"}));
  EXPECT_EQ(world.finish(job), pawl::JobState::completed) << world.story(job);
  EXPECT_EQ(world.attempts(job, "rent", "pay")[0].result, pawl::AttemptResult::timed_out);
  EXPECT_EQ(world.elapsed(), 1min + 14 * day + 20s);
}

// Replay. In life the file is a copy of your store; here a job that gave up is played into one.

class Yesterday : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder);
    World world({.store =
                     [&](const pawl::Clock& clock) {
                       return pawl::open_sqlite_store({.path = folder / "pawl.db"}, clock);
                     },
                 .engine = {.lease = 30 * day}});
    world.stage("pay", Script{}.then(fails("the bank is closed")));
    world.gate("pay", "arrived", GateScript{}.then(accepts()));
    ASSERT_EQ(world.finish(world.submit(payments(3), items({"rent"}))), pawl::JobState::failed);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("payments-" + std::to_string(::getpid()));
};

TEST_F(Yesterday, would_have_gone_on_with_five_attempts) {
  const auto store = pawl::open_sqlite_store({.path = folder / "pawl.db", .create = false});
  ASSERT_TRUE(store) << store.error().text();

  const pawl::Replay same = replay((*store)->records(), pawl::JobId{1}, payments(3));
  EXPECT_TRUE(same.same()) << text_of(same);

  const pawl::Replay patient = replay((*store)->records(), pawl::JobId{1}, payments(5));
  ASSERT_EQ(patient.difference_count, 1) << text_of(patient);
  EXPECT_EQ(patient.differences[0].item, "rent");
}

TEST_F(Yesterday, is_replayed_from_an_export_too) {
  const auto store = pawl::open_sqlite_store({.path = folder / "pawl.db", .create = false});
  ASSERT_TRUE(store) << store.error().text();
  // What `pawl export 1 > job-1.jsonl` does.
  std::ofstream file(folder / "job-1.jsonl");
  ASSERT_TRUE(pawl::export_job((*store)->records(), pawl::JobId{1}, file));
  file.close();

  EXPECT_TRUE(replay_export(folder / "job-1.jsonl", payments(3)).same());
  EXPECT_EQ(replay_export(folder / "job-1.jsonl", payments(5)).difference_count, 1);
}

}  // namespace
