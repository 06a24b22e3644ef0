/// What an engine with threads defers because nothing waits for it: commits, messages about distant
/// limits, and most of a first claim.

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>

#include "store/forwarding_store.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;

void take_a_while() {
  using Steady = std::chrono::steady_clock;
  for (const auto until = Steady::now() + 1ms; Steady::now() < until;) {
  }
}

/// A store on a slow disk that counts commits and claims.
class SlowDisk final : public store::ForwardingStore {
 public:
  using store::ForwardingStore::ForwardingStore;

  std::atomic<int> commits = 0;
  std::atomic<int> claims = 0;
  std::atomic<std::size_t> first_claim = 0;  ///< how many it opened

  Result<std::vector<LaneHead>> ready_lanes() override {
    take_a_while();
    return inner().ready_lanes();
  }
  Result<Claims> claim(const ClaimRequest& request) override {
    take_a_while();
    Result<Claims> claimed = inner().claim(request);
    if (claims++ == 0) first_claim = claimed->opened.size();
    return claimed;
  }
  Result<Swept> sweep(const SweepRequest& request) override {
    take_a_while();
    return inner().sweep(request);
  }
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    ++commits;
    take_a_while();
    return inner().commit(worker, batch, steps, refill);
  }
};

/// Time passes only when the test advances it.
class HeldClock final : public Clock {
 public:
  [[nodiscard]] Timestamp now() const override {
    ++asked;
    return now_;
  }
  [[nodiscard]] bool ticks() const override { return true; }
  void advance(Duration by) { now_ = now_.load() + by; }
  mutable std::atomic<std::int64_t> asked = 0;

 private:
  std::atomic<Timestamp> now_ = Timestamp{1'700'000'000s};
};

/// One thread, whose pieces are long, and a slow store.
struct OneThread {
  HeldClock clock;
  std::shared_ptr<SlowDisk> store = std::make_shared<SlowDisk>(open_memory_store(clock));
  std::unique_ptr<Engine> engine =
      std::move(*Engine::create(store, {.threads = 1, .parallel = 64}, clock));

  OneThread() {
    engine->start();
    EXPECT_TRUE(engine->wait(submit([](Context&) {}, 8)));
    store->commits = 0;
  }

  JobId submit(std::function<void(Context&)> also, int items) {
    WorkflowBuilder build("pieces");
    build.stage("work", [also = std::move(also)](Context& context, std::stop_token) -> Outcome {
      take_a_while();
      also(context);
      return Output{};
    });
    const Program program = built(build);
    engine->serve(program);
    return *engine->submit(program.workflow(), numbered(items));
  }
};

TEST(Claims, of_an_engine_with_nothing_to_run_begin_with_a_few) {
  const auto store = std::make_shared<SlowDisk>(open_memory_store(system_clock()));
  const auto engine = std::move(*Engine::create(store, {.threads = 2, .parallel = 1'000}));
  WorkflowBuilder build("many");
  build.stage("work", [](Context&, std::stop_token) -> Outcome { return Output{}; });
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(500));
  engine->start();
  ASSERT_TRUE(engine->wait(job));
  EXPECT_EQ(store->first_claim, 4U) << "two for each thread, of 500";
  EXPECT_EQ(store->records().job(job)->items.succeeded, 500);
  engine->stop();
}

TEST(GroupCommit, steps_gather_while_the_threads_have_opened_work_before_them) {
  OneThread world;
  const JobId job = world.submit([](Context&) {}, 32);
  ASSERT_TRUE(world.engine->wait(job));
  EXPECT_LE(world.store->commits, 3) << "of 32 steps, which nobody waited for";
  EXPECT_EQ(world.store->records().job(job)->items.succeeded, 32);
  world.engine->stop();
}

TEST(GroupCommit, no_step_waits_long_for_company) {
  OneThread world;
  std::latch released(1);
  std::atomic<bool> is_held = false;
  const JobId job = world.submit(
      [&](Context& context) {
        if (context.item_key() != "item-1") return;
        is_held = true;
        is_held.notify_one();
        released.wait();
      },
      8);
  is_held.wait(false);
  EXPECT_EQ(world.store->records().job(job)->items.succeeded, 0) << "it waits, with six before it";
  // More than once, because its result may not have been read before the first time; and each time
  // the loop has looked at the clock since.
  const auto is_recorded = [&] { return world.store->records().job(job)->items.succeeded > 0; };
  while (!is_recorded()) {
    const std::int64_t before = world.clock.asked;
    world.clock.advance(10ms);
    while (!is_recorded() && world.clock.asked == before) std::this_thread::yield();
  }
  released.count_down();
  ASSERT_TRUE(world.engine->wait(job));
  world.engine->stop();
}

// Found by reading: the timers of a stopped engine are never served, so it must not wait for them.
TEST(StoppedEngines, rest_although_their_timers_are_due) {
  HeldClock clock;
  const std::shared_ptr<Store> store = open_memory_store(clock);
  const auto engine = std::move(*Engine::create(store, {.threads = 1}, clock));
  engine->start();
  engine->stop();
  clock.advance(1h);
  const std::int64_t before = clock.asked;
  std::this_thread::sleep_for(2500ms);  // waits: for the two times that it is driven all the same
  EXPECT_LT(clock.asked - before, 100);
}

/// No thread is woken for a limit that is far away: the loop notices it when it runs anyway.
TEST(FarLimits, are_kept_although_nobody_was_woken_for_them) {
  HeldClock clock;
  const std::shared_ptr<Store> store = open_memory_store(clock);
  const auto engine = std::move(*Engine::create(store, {.threads = 1}, clock));
  std::atomic<bool> runs = false;
  WorkflowBuilder build("patient");
  build
      .stage("work",
             [&](Context&, std::stop_token stop) -> Outcome {
               std::latch stopped(1);
               const std::stop_callback on_stop(stop, [&] { stopped.count_down(); });
               runs = true;
               runs.notify_one();
               stopped.wait();
               return Output{};
             })
      .retry({.max_attempts = 1, .attempt_timeout = 1h});
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), numbered(1));
  runs.wait(false);
  clock.advance(1h);
  ASSERT_TRUE(engine->wait(job));
  const TaskId task = store->records().tasks({.job = job})->front().id;
  EXPECT_EQ(store->records().attempts(task)->front().result, AttemptResult::timed_out);
  engine->stop();
}

}  // namespace
}  // namespace pawl
