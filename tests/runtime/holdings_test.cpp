/// What a worker holds: while its lease lasts, as far as the record agrees, and after the store has
/// lost some of it.

#include "runtime/holdings.hpp"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "simulation/line.hpp"
#include "simulation/unfaithful_store.hpp"
#include "sulking_store.hpp"

namespace pawl::runtime {
namespace {

using namespace testing_world;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Holdings, a_difference_counts_when_two_looks_in_a_row_show_it) {
  Holdings holdings;
  const OpenName one{TaskId{1}, 10};
  const OpenName two{TaskId{2}, 20};
  EXPECT_THAT(holdings.compare({one}, {two}).unknown, IsEmpty());
  EXPECT_TRUE(holdings.is_in_doubt());
  const Holdings::Differences lasting = holdings.compare({one}, {two});
  EXPECT_THAT(lasting.unknown, ElementsAre(one));
  EXPECT_THAT(lasting.withdrawn, ElementsAre(two));
  EXPECT_THAT(holdings.compare({one}, {one}).unknown, IsEmpty());
  EXPECT_FALSE(holdings.is_in_doubt());
}

TEST(Holdings, an_attempt_that_was_opened_again_is_another_one) {
  Holdings holdings;
  (void)holdings.compare({{TaskId{1}, 10}}, {});
  EXPECT_THAT(holdings.compare({{TaskId{1}, 11}}, {}).unknown, IsEmpty());
}

TEST(AcknowledgedResults, keeps_the_newest) {
  AcknowledgedResults results;
  for (int i = 1; i <= 2'000; ++i) results.add(TaskId{i}, i, 1);
  EXPECT_TRUE(results.contains({TaskId{2'000}, 2'000}));
  EXPECT_FALSE(results.contains({TaskId{2'000}, 1'999}));
  EXPECT_FALSE(results.contains({TaskId{1}, 1}));
}

// The lease, by the worker's own clock

/// A stage that runs until a test ends it.
class StoreTroubleWhileWorking : public StoreTrouble {
 protected:
  Program long_work() {
    WorkflowBuilder build("long");
    build.async_stage("work", [this](std::shared_ptr<AsyncAttempt> attempt) {
      running.push_back(std::move(attempt));
    });
    return built(build);
  }
  [[nodiscard]] bool is_asked_to_stop(std::size_t which) const {
    return running.at(which)->stop_token().stop_requested();
  }

  std::vector<std::shared_ptr<AsyncAttempt>> running;
};

TEST_F(StoreTroubleWhileWorking, a_worker_past_its_lease_ends_what_it_runs_and_says_so) {
  std::vector<std::string> said;
  auto engine =
      engine_with({.threads = 0, .lease = 30s, .log = [&](LogLevel, const std::string& text) {
                     said.push_back(text);
                   }});
  const Program program = long_work();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  store->is_away = true;
  for (int second = 0; second < 29; ++second) {
    clock.advance(1s);
    engine->run_until_idle();
  }
  EXPECT_FALSE(is_asked_to_stop(0)) << "the lease still holds";
  clock.advance(3s);
  engine->run_until_idle();
  EXPECT_TRUE(is_asked_to_stop(0));
  EXPECT_THAT(said, Contains(HasSubstr("1 running attempts are ended")));
  // When the store is back and no other worker got the task, it runs again with the next number.
  running[0]->complete(retryable("asked to stop"));
  store->is_away = false;
  clock.advance(2s);
  engine->run_until_idle();
  ASSERT_EQ(running.size(), 2U);
  running[1]->complete(Output{});
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

TEST_F(StoreTroubleWhileWorking, a_worker_past_its_lease_goes_on_where_it_was_told_to) {
  auto engine = engine_with({.threads = 0, .lease = 30s, .keep_running_past_lease = true});
  const Program program = long_work();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  store->is_away = true;
  for (int minute = 0; minute < 10; ++minute) {
    clock.advance(1min);
    engine->run_until_idle();
  }
  EXPECT_FALSE(is_asked_to_stop(0));
  store->is_away = false;
  running[0]->complete(Output{});
  clock.advance(2s);
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_EQ(store->records().job(job)->attempts_opened, 1);
}

// Its work is done: ending it would lose the result and stop nothing.
TEST(PastTheLease, an_attempt_whose_result_waits_for_the_store_is_not_ended) {
  auto away = std::make_shared<Sulking>(open_memory_store(system_clock()));
  auto engine = std::move(*Engine::create(away, {.threads = 2, .lease = 300ms}));
  std::atomic<int> executions = 0;
  WorkflowBuilder build("long");
  build.stage("a", [&](Context&, std::stop_token) -> Outcome {
    if (++executions == 1) {
      away->is_away = true;
      away->payloads_to_refuse = 6;  // for about three seconds
    }
    return Output{.json = Json(std::string(100'000, 'x'))};
  });
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), numbered(1));
  while (away->payloads_to_refuse > 0) std::this_thread::yield();
  away->is_away = false;
  ASSERT_TRUE(engine->wait(job));
  EXPECT_EQ(state_of(*away->records().job(job)), JobState::completed);
  EXPECT_EQ(executions, 1);
}

// A machine that slept: the store renews the lease, so no other worker has the task.
TEST_F(StoreTroubleWhileWorking, a_worker_that_slept_past_its_lease_and_can_renew_it_goes_on) {
  auto engine = engine_with({.threads = 0, .lease = 30s});
  const Program program = long_work();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  clock.advance(8h);
  engine->run_until_idle();
  EXPECT_FALSE(is_asked_to_stop(0));
  running[0]->complete(Output{});
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
}

// What the worker holds, compared with the record at every renewal

TEST_F(StoreTroubleWhileWorking, an_attempt_that_the_worker_lost_sight_of_is_found_and_run) {
  auto engine = engine_with({.threads = 0, .lease = 30s});
  const Program program = long_work();
  engine->serve(program);
  engine->run_until_idle();
  // Opened for this worker by another process: it is not notified.
  const WorkerId worker = store->records().workers()->front().id;
  const std::vector<NewItem> one = items({"x"});
  const JobId job = store
                        ->submit({.workflow = program.workflow()},
                                 {.items = one, .close = true, .open_for = worker, .open_max = 1})
                        ->job.id;
  EXPECT_EQ(store->records().job(job)->attempts_open, 1);
  for (int second = 0; second < 12; ++second) {
    clock.advance(1s);
    engine->run_until_idle();
  }
  ASSERT_EQ(running.size(), 1U);
  running[0]->complete(Output{});
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
}

TEST_F(StoreTroubleWhileWorking, an_attempt_that_the_store_took_away_is_ended) {
  auto engine = engine_with({.threads = 0, .lease = 30s});
  const Program program = long_work();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  ASSERT_EQ(running.size(), 1U);
  store->reads.drop_task = [](const Task&) { return true; };
  for (int second = 0; second < 12; ++second) {
    clock.advance(1s);
    engine->run_until_idle();
  }
  EXPECT_TRUE(is_asked_to_stop(0));
  EXPECT_EQ(store->records().job(job)->attempts_open, 1) << "of which the store says nothing";
}

// A store that loses acknowledged commits: a standby took over without the newest ones

/// The memory store behind it can be set back: its history is replayed without the end.
class SetBack : public testing::Test {
 protected:
  void begin(EngineOptions options = {.threads = 0, .lease = 30s}) {
    options.log = [this](LogLevel, const std::string& text) { said.push_back(text); };
    engine = std::move(*Engine::create(line, std::move(options), clock));
  }
  /// Loses as few calls as necessary.
  void forget_until(const std::function<bool()>& is_forgotten) {
    while (!is_forgotten()) store->forget(1);
    clock.advance(1ms);
  }
  void pass(Duration time) {
    for (Duration passed{0}; passed < time; passed += 1s) {
      clock.advance(1s);
      engine->run_until_idle();
    }
  }

  ManualClock clock;
  std::shared_ptr<simulation::UnfaithfulStore> store =
      std::make_shared<simulation::UnfaithfulStore>(
          clock, open_memory_store, simulation::UnfaithfulStore::Kind{.may_forget = true});
  /// A connection without faults, except for what the store loses.
  std::shared_ptr<Store> line = std::make_shared<simulation::Line>(
      store,
      simulation::Line::Ports{.fate = [](const char*) { return simulation::Fate::carried_out; },
                              .is_missed = [] { return false; },
                              .meanwhile = [] {},
                              .under_way = [](const simulation::OwnedCall&) {},
                              .said = {},
                              .holds_back = [](Timestamp) {},
                              .acknowledged_steps = [](std::span<const Step>, const Committed&) {},
                              .acknowledged_act = [](const Act&, const Actor&) {}});
  std::vector<std::string> said;
  std::unique_ptr<Engine> engine;
};

TEST_F(SetBack, a_forgotten_result_is_reported_and_its_work_done_again_under_the_next_number) {
  begin();
  int executions = 0;
  WorkflowBuilder build("failover");
  build.stage("work", [&](Context&, std::stop_token) -> Outcome {
    ++executions;
    return Output{};
  });
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  ASSERT_TRUE(store->records().job(job)->has_ended());
  forget_until([&] { return !store->records().job(job)->has_ended(); });
  ASSERT_EQ(store->records().job(job)->attempts_open, 1) << "the commit is forgotten";
  pass(15s);
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_EQ(executions, 2);
  const TaskId task = task_id(store->records().item(job, "x")->id, static_cast<StageIndex>(0));
  const std::vector<Attempt> attempts = *store->records().attempts(task);
  ASSERT_EQ(attempts.size(), 2U);
  EXPECT_EQ(attempts[0].result, AttemptResult::interrupted);
  EXPECT_THAT(attempts[0].summary, HasSubstr("forgotten"));
  EXPECT_EQ(attempts[1].result, AttemptResult::success);
  EXPECT_EQ(engine->status().forgotten_results, 1);
  EXPECT_THAT(said, Contains(HasSubstr("forgotten by the store: the result of attempt 1")));
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

TEST_F(SetBack, subscribers_are_told_what_came_in_place_of_forgotten_events) {
  begin();
  WorkflowBuilder build("failover");
  build.stage("work", succeed);
  const Program program = built(build);
  engine->serve(program);
  std::vector<Event> heard;
  const Subscription subscription =
      engine->subscribe(0, [&](const Event& event) { heard.push_back(event); });
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  forget_until([&] { return !store->records().job(job)->has_ended(); });
  const std::size_t common = store->records().events({.limit = 1'000})->size();
  const std::size_t before = heard.size();
  ASSERT_GT(before, common);
  pass(15s);
  ASSERT_TRUE(store->records().job(job)->has_ended());
  const std::vector<Event> log = *store->records().events({.limit = 1'000});
  EXPECT_EQ(std::vector<Event>(heard.begin() + static_cast<std::ptrdiff_t>(before), heard.end()),
            std::vector<Event>(log.begin() + static_cast<std::ptrdiff_t>(common), log.end()));
}

// The number of a lost job is given to another: the lost job's code must not run for that one.
TEST_F(SetBack, a_job_that_was_given_the_number_of_a_forgotten_one_is_not_taken_for_it) {
  begin();
  std::vector<std::string> ran;
  const auto noted = [&](const char* name) {
    WorkflowBuilder build(name);
    build.stage("work", [&ran, name](Context& context, std::stop_token) -> Outcome {
      ran.push_back(std::string(name) + " " + context.item_key());
      return Output{};
    });
    return built(build);
  };
  const Program one = noted("one");
  const Program other = noted("other");
  engine->serve(one);
  engine->serve(other);
  engine->run_until_idle();
  const JobId job = *engine->submit(one.workflow(), items({"x"}), {.keep_open = true});
  engine->run_until_idle();
  forget_until([&] { return !store->records().job(job); });
  const std::vector<NewItem> two = items({"y"});
  ASSERT_EQ(store->submit({.workflow = other.workflow()}, {.items = two, .close = true})->job.id,
            job);
  pass(15s);
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_THAT(ran, ElementsAre("one x", "other y"));
}

}  // namespace
}  // namespace pawl::runtime
