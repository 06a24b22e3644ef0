/// Crashes in a world: what a handler must tolerate, and what the engine promises.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/testing/testing.hpp"

namespace {

using namespace pawl;
using namespace pawl::testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A bank that counts its transfers, by idempotency key or blindly.
struct Bank {
  std::map<std::string, int> by_key;
  int blindly = 0;

  StageFunction transfer() {
    return [this](Context& context, std::stop_token) -> Outcome {
      ++by_key[context.idempotency_key()];
      ++blindly;
      return Output{.json = Json(true)};
    };
  }
};

Program transfers(Bank& bank, const RetryPolicy& retry = {}) {
  WorkflowBuilder build("transfers");
  build.stage("transfer", bank.transfer()).retry(retry);
  build.stage("receipt", [](Context&, std::stop_token) -> Outcome { return Output{}; })
      .needs("transfer");
  return built(build);
}

TEST(Crashes, after_the_work_and_before_its_record_run_it_again_with_the_same_key) {
  Bank bank;
  World world;
  world.crash_after("transfer", "a");
  const JobId job = world.submit(transfers(bank), items({"a", "b"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(world.crashes(), 1);

  // Executed twice, meant once: the key shows that they are the same.
  const auto calls = world.calls("transfer");
  std::vector<Call> of_a;
  std::ranges::copy_if(calls, std::back_inserter(of_a),
                       [](const Call& c) { return c.item == "a"; });
  ASSERT_THAT(of_a, SizeIs(2));
  EXPECT_EQ(of_a[0].idempotency_key, of_a[1].idempotency_key);
  EXPECT_EQ(of_a[1].attempt, 2u);
  EXPECT_EQ(of_a[1].cause, Cause::interrupted);
  EXPECT_EQ(bank.by_key.size(), 2u);
  EXPECT_GE(bank.blindly, 3);

  const auto attempts = world.attempts(job, "a", "transfer");
  EXPECT_EQ(attempts[0].result, AttemptResult::interrupted);
  EXPECT_EQ(attempts[0].decision.counts.failures, 0u) << "a crash uses no count";
  EXPECT_THAT(world.story(job), HasSubstr("the process died"));
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(Crashes, before_the_work_do_not_run_it) {
  Bank bank;
  World world;
  world.crash_before("transfer", "a", 1);
  const JobId job = world.submit(transfers(bank), items({"a"}));
  world.run();
  EXPECT_EQ(world.crashes(), 1);
  EXPECT_EQ(bank.blindly, 0);
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(bank.blindly, 1);
  EXPECT_THAT(world.attempts(job, "a", "transfer"), SizeIs(2));
}

TEST(Crashes, of_the_whole_process_take_the_lease_to_be_noticed) {
  World world;
  Bank bank;
  world.stage("transfer", Script{}.then(succeeds().after(10h)));
  const JobId job = world.submit(transfers(bank), items({"a"}));
  world.pass(1h);
  world.crash();
  EXPECT_GE(world.elapsed(), 2h) << "an hour of work, and an hour of lease";
  EXPECT_THAT(world.attempts(job, "a", "transfer"), SizeIs(1)) << world.story(job);
  EXPECT_EQ(world.calls("transfer").size(), 2u);
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(Crashes, leave_nothing_of_the_dead_process_in_the_store) {
  World world;
  Bank bank;
  std::vector<std::shared_ptr<AsyncAttempt>> held;
  WorkflowBuilder build("calls");
  build.async_stage("call", [&](std::shared_ptr<AsyncAttempt> one) { held.push_back(one); });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  world.crash();
  ASSERT_THAT(held, SizeIs(2));
  held[0]->complete(Output{.json = "from the grave"});
  world.run();
  EXPECT_EQ(world.state(job, "a", "call"), StateKind::running);
  held[1]->complete(Output{.json = "from the living"});
  EXPECT_EQ(world.finish(job), JobState::completed);
  EXPECT_EQ(world.output(job, "a", "call").text(), "\"from the living\"");
  held.clear();
}

TEST(Crashes, may_be_written_in_a_script) {
  World world;
  Bank bank;
  world.stage("transfer", Script{}.then(crashes()).then(crashes().after(30min)).then(succeeds()));
  const JobId job = world.submit(transfers(bank), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_EQ(world.crashes(), 2);
  EXPECT_THAT(world.attempts(job, "a", "transfer"), SizeIs(3));
}

TEST(Crashes, that_never_end_are_given_up) {
  World world;
  Bank bank;
  world.stage("transfer", Script{}.then(crashes()));
  const JobId job = world.submit(transfers(bank, {.max_interruptions = 3}), items({"a"}));
  EXPECT_EQ(world.finish(job), JobState::failed) << world.story(job);
  EXPECT_THAT(world.story(job), HasSubstr("max_interruptions 3/3: exhausted, failed"));
}

/// Wherever the process dies, the outcome is the same.
TEST(Crashes, at_any_attempt_lead_to_the_same_end) {
  for (const char* stage : {"transfer", "receipt"}) {
    for (const bool before : {true, false}) {
      for (const char* item : {"a", "b", "c"}) {
        Bank bank;
        World world;
        if (before) world.crash_before(stage, item);
        if (!before) world.crash_after(stage, item);
        const JobId job = world.submit(transfers(bank), items({"a", "b", "c"}));
        EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
        EXPECT_EQ(world.crashes(), 1) << stage << before << item;
        EXPECT_EQ(bank.by_key.size(), 3u);
        EXPECT_THAT(world.violations(), IsEmpty());
      }
    }
  }
}

}  // namespace
