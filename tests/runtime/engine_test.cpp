/// The engine as a process among others: leases, crashes, two engines on one store, stopping,
/// events, trouble with the store, real threads.

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

/// A stage that stays open until somebody completes it.
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

// Traps 2, 3, 18, 28; I4, I15
TEST(Engines, the_work_of_a_dead_engine_is_taken_over_with_the_next_number_and_no_count_used) {
  World world;
  Parked parked;
  const Program program = parked.program({.max_attempts = 1});
  const JobId job = world.submit(program, items({"a"}));
  world.run();
  ASSERT_EQ(parked.open.size(), 1u);

  // The first engine freezes: nobody drives it any more. Its lease runs out.
  world.clock.advance(61s);
  auto other = world.another();
  other->serve(program);
  other->run_until_idle();
  ASSERT_EQ(parked.open.size(), 2u);
  EXPECT_EQ(parked.open[1]->context().attempt(), 2u);
  EXPECT_EQ(parked.open[1]->context().cause(), Cause::interrupted);

  // It wakes with a late result: fenced.
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
    dead.push_back(std::move(next));  // nobody drives it any more
  }
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::failed);
  EXPECT_EQ(std::get<Failed>(world.task(job, "a", "work").state).cause, FailCause::interruptions);
}

// A graceful stop gives back without a count
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

// Trap 18
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

// Trap 25, A61
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

// C38, C51, C53, C54
TEST(Engines, the_log_tells_first_attempts_from_retries) {
  std::vector<std::string> lines;
  World world({.log = [&](LogLevel, const std::string& line) { lines.push_back(line); }});
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
      ElementsAre(HasSubstr("retry scheduled: 'work' for 'a', attempt 1 (failure), next in 1000ms"),
                  HasSubstr("retry of 'work' for 'a' starts: attempt 2"),
                  HasSubstr("retry succeeded: 'work' for 'a', attempt 2")));
}

/// A store that refuses to commit while it is told to.
class Sulking final : public Store {
 public:
  explicit Sulking(std::shared_ptr<Store> inner) : inner_(std::move(inner)) {}
  bool sulks = false;
  bool writes_all_the_same = false;  ///< the answer is lost, the batch is not
  int refused = 0;
  ItemId bad_item;  ///< no batch with a step of this item is taken

  [[nodiscard]] const Clock& clock() const override { return inner_->clock(); }
  Records& records() override { return inner_->records(); }
  Result<WorkerId> enlist(const WorkerHello& hello) override { return inner_->enlist(hello); }
  Status renew(WorkerId worker) override { return inner_->renew(worker); }
  Status retire(WorkerId worker) override { return inner_->retire(worker); }
  Result<Job> create_job(const NewJob& job) override { return inner_->create_job(job); }
  Result<Added> add_items(const AddItems& items) override { return inner_->add_items(items); }
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    return inner_->submit(job, items);
  }
  Result<std::vector<LaneHead>> ready_lanes() override { return inner_->ready_lanes(); }
  Result<Claims> claim(const ClaimRequest& request) override {
    if (sulks && writes_all_the_same) (void)inner_->claim(request);
    if (sulks) return fail(ErrorCode::unavailable, "the disk is full");
    return inner_->claim(request);
  }
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    if (sulks) {
      ++refused;
      if (writes_all_the_same) (void)inner_->commit(worker, batch, steps, refill);
      return fail(ErrorCode::unavailable, "the disk is full");
    }
    const bool has_bad_one = bad_item && std::ranges::any_of(steps, [&](const Step& step) {
                               return step.next.item == bad_item;
                             });
    if (has_bad_one) {
      ++refused;
      return fail(ErrorCode::invalid, "a CHECK was broken");
    }
    return inner_->commit(worker, batch, steps, refill);
  }
  Result<Swept> sweep(const SweepRequest& request) override { return inner_->sweep(request); }
  Result<Job> act(const Act& act) override { return inner_->act(act); }
  Result<Arriving> receive(const Arrival& arrival) override { return inner_->receive(arrival); }
  std::uint64_t change_mark() override { return inner_->change_mark(); }
  Result<std::string> keep_payload(std::string_view bytes) override {
    return inner_->keep_payload(bytes);
  }
  Result<KeptFile> keep_file(const std::filesystem::path& path) override {
    return inner_->keep_file(path);
  }

 private:
  std::shared_ptr<Store> inner_;
};

TEST(Engines, a_claim_whose_answer_was_lost_is_read_back_and_run) {
  ManualClock clock;
  auto store = std::make_shared<Sulking>(open_memory_store(clock));
  auto engine = std::move(*Engine::create(store, {.threads = 0}, clock));
  std::map<std::string, int> executions;
  WorkflowBuilder build("lost");
  build.stage("a", [&](Context& context, std::stop_token) -> Outcome {
    ++executions[std::string(context.item_key())];
    return Output{};
  });
  const Program program = built(build);
  engine->serve(program);
  const std::vector<NewItem> keys = items({"x", "y"});
  const JobId job =
      store->submit({.workflow = program.workflow()}, {.items = keys, .close = true})->job.id;
  store->sulks = true;
  store->writes_all_the_same = true;
  engine->run_until_idle();
  EXPECT_EQ(store->records().job(job)->attempts_open, 2) << "both were opened, nobody knows";
  EXPECT_TRUE(executions.empty());
  store->sulks = false;
  (void)store->submit({.workflow = program.workflow()},
                      {.items = std::span(keys).first(1), .close = true});
  engine->run_until_idle();
  EXPECT_TRUE(store->records().job(job)->has_ended());
  EXPECT_EQ(executions["y"], 1);
  EXPECT_EQ(executions["x"], 2) << "once for each job";
}

// Trap 33
TEST(Engines, a_store_that_is_full_stops_new_work_says_so_and_loses_nothing) {
  ManualClock clock;
  auto store = std::make_shared<Sulking>(open_memory_store(clock));
  auto engine = std::move(*Engine::create(store, {.threads = 0}, clock));
  int executions = 0;
  WorkflowBuilder build("full");
  build.stage("a", [&](Context&, std::stop_token) -> Outcome {
    if (++executions == 1) store->sulks = true;
    return Output{};
  });
  build.stage("b", succeed).needs("a");
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(5));
  engine->run_until_idle();
  EXPECT_FALSE(engine->status().store_available);
  EXPECT_THAT(engine->status().trouble, HasSubstr("the disk is full"));
  const int executed = executions;
  for (int i = 0; i < 50; ++i) {
    clock.advance(1s);
    engine->run_until_idle();
  }
  EXPECT_EQ(executions, executed) << "nothing new is started";
  EXPECT_GT(store->refused, 5) << "and it tries again by itself";
  store->sulks = false;
  clock.advance(6s);
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_EQ(executions, 5) << "nothing ran twice";
  EXPECT_TRUE(engine->status().store_available);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

// Unknown outcome of a commit: the batch number tells
TEST(Engines, a_batch_that_was_written_although_its_answer_was_lost_is_not_written_twice) {
  ManualClock clock;
  auto store = std::make_shared<Sulking>(open_memory_store(clock));
  auto engine = std::move(*Engine::create(store, {.threads = 0}, clock));
  std::vector<std::string> ran;
  WorkflowBuilder build("lost_answer");
  build.stage("a", [&](Context& context, std::stop_token) -> Outcome {
    ran.push_back("a " + context.item_key());
    store->sulks = store->writes_all_the_same = true;
    return Output{};
  });
  build
      .stage("b",
             [&](Context& context, std::stop_token) -> Outcome {
               ran.push_back("b " + context.item_key());
               return Output{};
             })
      .needs("a");
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  store->sulks = false;
  clock.advance(1s);
  engine->run_until_idle();
  EXPECT_THAT(ran, ElementsAre("a x", "b x"));
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

// A batch with one bad step is replayed in halves: the others land, the bad one is told
TEST(Engines, one_bad_step_does_not_hold_up_the_batch_it_came_with) {
  ManualClock clock;
  auto store = std::make_shared<Sulking>(open_memory_store(clock));
  auto engine = std::move(*Engine::create(store, {.threads = 0}, clock));
  WorkflowBuilder build("one_bad");
  build.stage("work", succeed);
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(8));
  store->bad_item = store->records().item(job, "item-3")->id;
  engine->run_until_idle();
  EXPECT_EQ(store->records().job(job)->items.succeeded, 7);
  EXPECT_GT(store->refused, 1) << "first the batch, then the halves that hold it";
  EXPECT_THAT(engine->status().trouble, HasSubstr("a CHECK was broken"));
  // Nobody closed its attempt; when this engine is gone it is taken back like any other.
  store->bad_item = ItemId{};
  engine->stop();
  auto next = std::move(*Engine::create(store, {.threads = 0}, clock));
  next->serve(program);
  next->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

// Ruling 21: no code, no claim
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

// Trap 15, ruling 15
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
