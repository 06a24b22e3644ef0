/// The engine as a process among others: leases, crashes, two engines on one store, stopping,
/// events, real threads.

#include <atomic>
#include <condition_variable>
#include <latch>
#include <map>
#include <mutex>
#include <set>

#include <gmock/gmock.h>

#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::HasSubstr;

/// A stage that stays open until a test completes it.
struct Parked {
  std::vector<std::shared_ptr<AsyncAttempt>> open;
  Program program(const RetryPolicy& retry = {}) {
    WorkflowBuilder build("parked");
    build
        .async_stage(
            "work",
            [this](std::shared_ptr<AsyncAttempt> attempt) { open.push_back(std::move(attempt)); })
        .retry(retry);
    return built(build);
  }
};

// I4, I15
TEST(Engines, the_work_of_a_dead_engine_is_taken_over_with_the_next_number_and_no_count_used) {
  World world;
  Parked parked;
  const Program program = parked.program({.max_attempts = 1});
  const JobId job = world.submit(program, items({"a"}));
  world.run();
  ASSERT_EQ(parked.open.size(), 1u);

  // The first engine freezes: it is not driven any more. Its lease expires.
  world.clock.advance(61s);
  auto other = world.another();
  other->serve(program);
  other->run_until_idle();
  ASSERT_EQ(parked.open.size(), 2u);
  EXPECT_EQ(parked.open[1]->context().attempt(), 2u);
  EXPECT_EQ(parked.open[1]->context().cause(), Cause::interrupted);

  // It wakes up with a late result, which is fenced.
  parked.open[0]->complete(Output{.json = "late"});
  world.run();
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::running);
  parked.open[1]->complete(Output{.json = "in time"});
  other->run_until_idle();
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].result, AttemptResult::interrupted);
  EXPECT_EQ(attempts[1].output.text(), R"("in time")");
  EXPECT_EQ(attempts[1].counts_before.failures, 0u);
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Engines, an_item_that_kills_its_worker_again_and_again_is_given_up) {
  World world;
  Parked parked;
  const Program program = parked.program({.max_attempts = 1, .max_interruptions = 3});
  const JobId job = world.submit(program, items({"a"}));
  world.run();
  std::vector<std::unique_ptr<Engine>> dead;
  for (int life = 0; life < 3; ++life) {
    world.clock.advance(61s);
    auto next = world.another();
    next->serve(program);
    next->run_until_idle();
    dead.push_back(std::move(next));  // it is not driven any more
  }
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::failed);
  EXPECT_EQ(std::get<Failed>(world.task(job, "a", "work").state).cause, FailCause::interruptions);
}

// A graceful stop hands attempts back without using a retry
TEST(Engines, a_stopped_engine_gives_its_work_back_at_once) {
  World world;
  std::vector<std::shared_ptr<AsyncAttempt>> open;
  WorkflowBuilder build("stopping");
  build.async_stage("work", [&](std::shared_ptr<AsyncAttempt> attempt) {
    open.push_back(attempt);
    if (open.size() > 1) return;
    // It obeys its stop token.
    static std::optional<std::stop_callback<std::function<void()>>> on_stop;
    on_stop.emplace(attempt->stop_token(), [attempt] { attempt->complete(retryable("stopped")); });
  });
  const Program program = built(build);
  const JobId job = world.submit(program, items({"a"}));
  world.run();
  world.engine->stop();
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::ready);
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_TRUE(attempts[0].graceful);
  EXPECT_EQ(attempts[0].decision.rule, Rule::handed_back);
  auto other = world.another();
  other->serve(program);
  other->run_until_idle();
  EXPECT_EQ(open.size(), 2u) << "claimed again without waiting for a lease";
  world.expect_sound();
}

TEST(Engines, two_engines_on_one_store_never_run_the_same_task_at_once) {
  World world({.parallel = 3});
  std::map<std::string, int> running;
  int executions = 0;
  WorkflowBuilder build("shared");
  build.stage("a", [&](Context& context, std::stop_token) -> Outcome {
    EXPECT_EQ(++running[context.item_key()], 1);
    ++executions;
    --running[context.item_key()];
    return Output{};
  });
  build
      .stage("b",
             [&](Context&, std::stop_token) -> Outcome {
               ++executions;
               return Output{};
             })
      .needs("a");
  const Program program = built(build);
  auto other = world.another({.parallel = 3});
  other->serve(program);
  const JobId job = world.submit(program, numbered(50));
  for (bool busy = true; busy;) {
    busy = world.engine->poll();
    busy = other->poll() || busy;
  }
  EXPECT_EQ(executions, 100);
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

// More than fits into one read.
TEST(Engines, one_that_its_host_drives_tells_a_late_subscriber_of_everything) {
  auto store = open_memory_store(system_clock());
  auto engine = std::move(*Engine::create(store, {.threads = 1}));
  WorkflowBuilder build("many");
  build.stage("a", succeed);
  const Program program = built(build);
  const JobId job = *engine->submit(program.workflow(), numbered(1'200));
  for (int i = 0; i < 1'200; ++i) {
    const ItemId item = store->records().item(job, "item-" + std::to_string(i))->id;
    ASSERT_TRUE(store->act(CancelItem{item}));
  }
  std::size_t told = 0;
  const Subscription subscription = engine->subscribe(0, [&](const Event&) { ++told; });
  engine->run_until_idle();
  EXPECT_EQ(told, store->records().events({.limit = 100'000})->size());
  EXPECT_GT(told, 1'200U);
}

TEST(Engines, a_late_subscriber_reads_every_event_in_order) {
  World world;
  WorkflowBuilder build("events");
  build.stage("work", succeed);
  const Program program = built(build);
  world.submit(program, numbered(30));
  world.run();
  std::vector<EventSeq> seen;
  const Subscription late =
      world.engine->subscribe(0, [&](const Event& event) { seen.push_back(event.seq); });
  world.run();
  std::vector<EventSeq> all;
  for (const Event& event : world.events()) all.push_back(event.seq);
  EXPECT_EQ(seen, all);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  world.submit(program, numbered(3));
  world.run();
  EXPECT_EQ(seen.size(), world.events().size());
}

TEST(Engines, the_log_tells_first_attempts_from_retries) {
  std::vector<std::string> lines;
  World world({.log = [&](LogLevel level, const std::string& line) {
    EXPECT_EQ(level, LogLevel::info) << line;
    lines.push_back(line);
  }});
  WorkflowBuilder build("logged");
  build
      .stage("work",
             [](Context& context, std::stop_token) -> Outcome {
               if (context.attempt() == 1) return retryable("x");
               return Output{};
             })
      .retry({.max_attempts = 2, .backoff = {.initial = 1s}});
  world.submit(built(build), items({"a"}));
  world.pass(2s);
  EXPECT_THAT(
      lines,
      ElementsAre(HasSubstr("first attempt of 'work' for 'a' starts: attempt 1"),
                  HasSubstr("retry scheduled: 'work' for 'a', attempt 1 (failure), next in 1000ms"),
                  HasSubstr("retry of 'work' for 'a' starts: attempt 2"),
                  HasSubstr("retry succeeded: 'work' for 'a', attempt 2")));
}

TEST(Engines, a_job_that_an_engine_does_not_take_is_left_to_others) {
  World world({.takes = [](const Job& job) {
    return job.labels.text().find("here") != std::string::npos;
  }});
  WorkflowBuilder build("taken");
  build.stage("work", succeed);
  const Program program = built(build);
  world.engine->serve(program);
  world.run();  // an idle engine would open what it submits at once
  const JobId there = *world.engine->submit(program.workflow(), items({"a"}));
  JobOptions options;
  options.labels = Json::object({{"place", "here"}});
  const JobId here = *world.engine->submit(program.workflow(), items({"a"}), options);
  world.run();
  EXPECT_TRUE(world.store->records().job(here)->has_ended());
  EXPECT_FALSE(world.store->records().job(there)->has_ended());
  EXPECT_EQ(world.store->records().job(there)->attempts_opened, 0);
}

TEST(Engines, a_job_without_code_here_waits_and_stands_in_nobodys_way) {
  World world;
  WorkflowBuilder unknown("unknown");
  unknown.stage("work", succeed);
  const Program elsewhere = built(unknown);
  const JobId waiting = *world.engine->submit(elsewhere.workflow(), numbered(5));
  WorkflowBuilder known("known");
  known.stage("work", succeed);
  const JobId served = world.submit(built(known), numbered(5));
  world.run();
  EXPECT_EQ(world.state(served), JobState::completed);
  EXPECT_EQ(world.state(waiting), JobState::running);
  EXPECT_EQ(world.kind(waiting, "item-0", "work"), StateKind::ready);
  world.engine->serve(elsewhere);
  world.run();
  EXPECT_EQ(world.state(waiting), JobState::completed);
}

// Real threads, real time

std::unique_ptr<Engine> threaded(std::shared_ptr<Store> store, EngineOptions options = {}) {
  auto engine = std::move(*Engine::create(std::move(store), std::move(options)));
  return engine;
}

TEST(Threads, a_started_engine_carries_a_thousand_items_through_a_chain) {
  auto engine = threaded(open_memory_store(system_clock()));
  std::atomic<int> executions = 0;
  WorkflowBuilder build("chain");
  std::string before;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    auto stage = build.stage(name, [&](Context&, std::stop_token) -> Outcome {
      ++executions;
      return Output{};
    });
    if (!before.empty()) stage.needs(before);
    before = name;
  }
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), numbered(1'000));
  const Result<Job> done = engine->wait(job);
  ASSERT_TRUE(done);
  EXPECT_EQ(state_of(*done), JobState::completed);
  EXPECT_EQ(executions, 5'000);
  engine->stop();
  EXPECT_TRUE(verify(engine->records(), {})->violations.empty());
}

TEST(Threads, a_watch_sees_the_job_and_can_end_the_wait) {
  auto engine = threaded(open_memory_store(system_clock()), {.threads = 2, .poll_interval = 1ms});
  WorkflowBuilder build("without code here");
  build.stage("work", succeed);
  const JobId job = *engine->submit(built(build).workflow(), items({"a"}));
  engine->start();
  int calls = 0;
  const Result<Job> waited = engine->wait(job, [&](const Result<Job>& seen) {
    EXPECT_TRUE(seen);
    return ++calls < 3;
  });
  ASSERT_TRUE(waited);
  EXPECT_EQ(calls, 3);
  EXPECT_FALSE(waited->has_ended());
}

TEST(Threads, a_watched_wait_goes_on_although_the_job_cannot_be_read) {
  auto engine = threaded(open_memory_store(system_clock()), {.threads = 2, .poll_interval = 1ms});
  engine->start();
  EXPECT_FALSE(engine->wait(JobId{7})) << "without a watch the error is returned";
  int calls = 0;
  const Result<Job> waited = engine->wait(JobId{7}, [&](const Result<Job>& seen) {
    EXPECT_FALSE(seen);
    return ++calls < 3;
  });
  EXPECT_FALSE(waited);
  EXPECT_EQ(calls, 3);
}

TEST(Threads, a_handler_that_ignores_its_stop_token_is_abandoned_counted_and_fenced) {
  auto engine = threaded(open_memory_store(system_clock()),
                         {.threads = 2, .grace = std::chrono::milliseconds(20)});
  std::latch released(1);
  std::latch returned(1);
  WorkflowBuilder build("deaf");
  build
      .stage("work",
             [&](Context& context, std::stop_token) -> Outcome {
               if (context.attempt() > 1) return Output{.json = "second"};
               released.wait();
               returned.count_down();
               return Output{.json = "late"};
             })
      .retry({.max_attempts = 2, .attempt_timeout = std::chrono::milliseconds(30)});
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), items({"a"}));
  const Result<Job> done = engine->wait(job);
  EXPECT_EQ(state_of(*done), JobState::completed);
  EXPECT_EQ(engine->status().abandoned, 1);
  released.count_down();
  returned.wait();
  engine->stop();
  const Item item = *engine->records().item(job, "a");
  const auto attempts = *engine->records().attempts(task_id(item.id, StageIndex{0}));
  ASSERT_EQ(attempts.size(), 2u);
  EXPECT_EQ(attempts[0].result, AttemptResult::timed_out);
  EXPECT_EQ(attempts[1].output.text(), R"("second")");
}

TEST(Threads, a_cooperative_handler_stops_when_it_is_asked_and_its_work_is_given_back) {
  auto store = open_memory_store(system_clock());
  auto engine = threaded(store, {.threads = 2});
  std::latch running(1);
  WorkflowBuilder build("polite");
  build.stage("work", [&](Context&, std::stop_token stop) -> Outcome {
    running.count_down();
    std::mutex mutex;
    std::condition_variable_any asked;
    std::unique_lock lock(mutex);
    asked.wait(lock, stop, [] { return false; });
    return retryable("stopped");
  });
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), items({"a"}));
  running.wait();
  engine->stop();
  const Item item = *store->records().item(job, "a");
  const Task task = *store->records().task(task_id(item.id, StageIndex{0}));
  EXPECT_EQ(task.kind(), StateKind::ready);
  EXPECT_EQ(task.counts.failures, 0u);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

TEST(Threads, an_async_stage_completed_from_another_thread_needs_no_pool_thread) {
  auto engine = threaded(open_memory_store(system_clock()), {.threads = 1});
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::shared_ptr<AsyncAttempt>> open;
  WorkflowBuilder build("async");
  build.async_stage("call", [&](std::shared_ptr<AsyncAttempt> attempt) {
    const std::lock_guard lock(mutex);
    open.push_back(std::move(attempt));
    arrived.notify_all();
  });
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), numbered(500));
  {
    std::unique_lock lock(mutex);
    arrived.wait(lock, [&] { return open.size() == 500; });
  }
  for (const auto& attempt : open) attempt->complete(Output{});
  EXPECT_EQ(state_of(*engine->wait(job)), JobState::completed);
  open.clear();
}

TEST(Threads, two_engines_in_one_process_share_a_store_on_real_threads) {
  auto store = open_memory_store(system_clock());
  auto first = threaded(store, {.threads = 2, .parallel = 16});
  auto second = threaded(store, {.threads = 2, .parallel = 16});
  std::mutex mutex;
  std::set<std::string> running;
  std::atomic<int> executions = 0;
  std::atomic<bool> overlapped = false;
  WorkflowBuilder build("shared");
  build.stage("work", [&](Context& context, std::stop_token) -> Outcome {
    {
      const std::lock_guard lock(mutex);
      if (!running.insert(context.item_key()).second) overlapped = true;
    }
    ++executions;
    {
      const std::lock_guard lock(mutex);
      running.erase(context.item_key());
    }
    return Output{};
  });
  const Program program = built(build);
  first->serve(program);
  second->serve(program);
  first->start();
  second->start();
  const JobId job = *first->submit(program.workflow(), numbered(2'000));
  EXPECT_EQ(state_of(*second->wait(job)), JobState::completed);
  EXPECT_EQ(executions, 2'000);
  EXPECT_FALSE(overlapped);
}

}  // namespace
}  // namespace pawl
