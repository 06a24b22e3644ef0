/// Rates on virtual time: how long work takes that may start only so often.

#include <gmock/gmock.h>

#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;

/// Records when each attempt ran.
struct Diary {
  explicit Diary(World& owner) : world(owner) {}
  StageFunction stage() {
    return [this](Context&, std::stop_token) -> Outcome {
      moments.push_back(world.clock.now());
      return Output{};
    };
  }
  /// The largest number within any period of this length.
  [[nodiscard]] std::size_t most_within(Duration stretch) const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < moments.size(); ++i) {
      std::size_t count = 0;
      for (std::size_t j = i; j < moments.size() && moments[j] < moments[i] + stretch; ++j) ++count;
      most = std::max(most, count);
    }
    return most;
  }
  World& world;
  std::vector<Timestamp> moments;
};

TEST(Rates, a_hundred_and_twenty_items_at_sixty_a_minute_take_exactly_a_minute) {
  World world({.parallel = 200});
  Diary diary(world);
  WorkflowBuilder build("limited");
  build.stage("call", diary.stage()).limits({.rate = {.count = 60, .per = 1min}});
  const Timestamp start = world.clock.now();
  const JobId job = world.submit(built(build), numbered(120));
  world.run();
  EXPECT_EQ(diary.moments.size(), 60u) << "a burst is allowed";
  world.pass(1min - 1us);
  EXPECT_EQ(diary.moments.size(), 60u);
  world.pass(1us);
  EXPECT_EQ(diary.moments.size(), 120u);
  EXPECT_EQ(diary.moments.back() - start, Duration(1min));
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Rates, hold_nobody_up_who_has_none) {
  World world({.parallel = 4});
  Diary slow(world);
  Diary fast(world);
  WorkflowBuilder build("two");
  build.stage("call", slow.stage()).limits({.rate = {.count = 1, .per = 1h}});
  build.stage("local", fast.stage());
  build.stage("after", fast.stage()).needs("local");
  world.submit(built(build), numbered(50));
  world.run();
  EXPECT_EQ(fast.moments.size(), 100u);
  EXPECT_EQ(slow.moments.size(), 1u);
}

TEST(Rates, an_engine_waits_for_its_moment_instead_of_asking_again_and_again) {
  World world;
  Diary diary(world);
  WorkflowBuilder build("limited");
  build.stage("call", diary.stage()).limits({.rate = {.count = 1, .per = 10s}});
  world.submit(built(build), numbered(3));
  world.run();
  const std::uint64_t before = world.store->change_mark();
  EXPECT_EQ(world.engine->next_wake(), world.clock.now() + 10s);
  world.pass(9s);
  EXPECT_EQ(world.store->change_mark(), before) << "nothing was even tried";
  world.pass(1s);
  EXPECT_EQ(diary.moments.size(), 2u);
}

TEST(Rates, two_engines_share_one_and_neither_misses_its_moment) {
  World world({.parallel = 2});
  Diary diary(world);
  WorkflowBuilder build("limited");
  build.stage("call", diary.stage()).limits({.pool = "api", .rate = {.count = 3, .per = 10s}});
  const Program program = built(build);
  const auto other = world.another({.parallel = 2});
  other->serve(program);
  const JobId job = world.submit(program, numbered(20));
  for (int i = 0; i < 1'000 && world.state(job) == JobState::running; ++i) {
    bool busy = true;
    while (busy) {
      busy = world.engine->poll();
      busy = other->poll() || busy;
    }
    world.clock.advance_to(std::min(world.engine->next_wake(), other->next_wake()));
  }
  EXPECT_EQ(world.state(job), JobState::completed);
  EXPECT_EQ(diary.moments.size(), 20u);
  EXPECT_EQ(diary.most_within(10s), 3u);
  EXPECT_EQ(diary.moments.back() - diary.moments.front(), Duration(60s));
}

TEST(Rates, count_retries_that_follow_at_once) {
  World world;
  int executions = 0;
  WorkflowBuilder build("flaky");
  build
      .stage("call",
             [&](Context&, std::stop_token) -> Outcome {
               if (++executions < 5) return retryable("busy");
               return Output{};
             })
      .retry({.max_attempts = 9})
      .limits({.rate = {.count = 2, .per = 1min}});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(executions, 2);
  world.pass(1min);
  EXPECT_EQ(executions, 4);
  world.pass(1min);
  EXPECT_EQ(executions, 5);
  EXPECT_EQ(world.state(job), JobState::completed);
}

TEST(Rates, hold_for_stages_that_are_reached_from_others_and_for_conditional_ones) {
  World world;
  Diary diary(world);
  WorkflowBuilder build("pair");
  build.stage("first", succeed);
  build.stage("second", diary.stage())
      .needs("first")
      .when([](Context& context) { return context.item_key() != "item-3"; })
      .limits({.rate = {.count = 2, .per = 30s}});
  const JobId job = world.submit(built(build), numbered(9));
  world.pass(10min);
  EXPECT_EQ(world.state(job), JobState::completed);
  EXPECT_EQ(diary.moments.size(), 8u);
  EXPECT_EQ(diary.most_within(30s), 2u);
  EXPECT_EQ(diary.moments.back() - diary.moments.front(), Duration(90s));
  world.expect_sound();
}

TEST(Rates, survive_the_end_of_an_engine) {
  World world;
  Diary diary(world);
  WorkflowBuilder build("limited");
  build.stage("call", diary.stage()).limits({.rate = {.count = 2, .per = 1min}});
  const Program program = built(build);
  const JobId job = world.submit(program, numbered(4));
  world.run();
  world.engine->stop();
  world.clock.advance(20s);
  const auto next = world.another();
  next->serve(program);
  next->run_until_idle();
  EXPECT_EQ(diary.moments.size(), 2u);
  world.clock.advance(40s);
  next->run_until_idle();
  EXPECT_EQ(diary.moments.size(), 4u);
  EXPECT_EQ(world.state(job), JobState::completed);
}

}  // namespace
}  // namespace pawl
