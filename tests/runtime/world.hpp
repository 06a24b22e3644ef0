#pragma once

/// A world on virtual time: a store, an engine that is driven by hand, and a clock that advances
/// only when a test says so. Weeks of backoff pass in microseconds, always in the same order.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "pawl/runtime/engine.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/store/verify.hpp"

namespace pawl::testing_world {

using namespace std::chrono_literals;

/// Builds the program, or fails the test with every fault.
inline Program built(const WorkflowBuilder& builder) {
  auto program = builder.build();
  if (!program) throw std::runtime_error(text_of(program.error()));
  return *program;
}

inline std::vector<NewItem> items(const std::vector<std::string>& keys) {
  std::vector<NewItem> made;
  for (const std::string& key : keys) made.push_back({.key = key, .data = Json(key)});
  return made;
}

inline std::vector<NewItem> numbered(int count) {
  std::vector<NewItem> made;
  for (int i = 0; i < count; ++i) {
    made.push_back({.key = "item-" + std::to_string(i), .data = Json(i)});
  }
  return made;
}

class World {
 public:
  explicit World(EngineOptions options = {}, std::shared_ptr<Store> shared_store = nullptr)
      : store(shared_store ? std::move(shared_store) : open_memory_store(clock)) {
    options.threads = 0;
    engine = std::move(*Engine::create(store, std::move(options), clock));
  }

  /// Another engine on the same store and clock.
  std::unique_ptr<Engine> another(EngineOptions options = {}) {
    options.threads = 0;
    return std::move(*Engine::create(store, std::move(options), clock));
  }

  JobId submit(const Program& program, std::vector<NewItem> with, const JobOptions& options = {}) {
    engine->serve(program);
    const Result<JobId> job = engine->submit(program.workflow(), std::move(with), options);
    if (!job) throw std::runtime_error(job.error().text());
    return *job;
  }

  void run() { engine->run_until_idle(); }

  /// Lets time pass, and stops whenever the engine wants to act.
  void pass(Duration time) {
    const Timestamp end = clock.now() + time;
    for (;;) {
      run();
      const Timestamp next = engine->next_wake();
      if (next > end) break;
      clock.advance_to(std::max(next, clock.now() + Duration{1}));
    }
    clock.advance_to(end);
    run();
  }

  Job job(JobId id) { return *store->records().job(id); }
  JobState state(JobId id) { return state_of(job(id)); }
  Task task(JobId job_id, const std::string& key, const std::string& stage) {
    const Job row = job(job_id);
    const Workflow workflow = *store->records().workflow(row.workflow_hash);
    const StageIndex index = *workflow.require_stage(stage);
    if (workflow.stage(index).scope == Scope::all) {
      return *store->records().task(task_id(row.reduce_ordinal, index));
    }
    const Item item = *store->records().item(job_id, key);
    return *store->records().task(task_id(item.id, index));
  }
  StateKind kind(JobId job_id, const std::string& key, const std::string& stage) {
    return task(job_id, key, stage).kind();
  }
  std::vector<Attempt> attempts(JobId job_id, const std::string& key, const std::string& stage) {
    return *store->records().attempts(task(job_id, key, stage).id);
  }
  std::vector<Review> open_reviews(JobId job_id) {
    return *store->records().reviews({.job = job_id, .status = ReviewStatus::open});
  }
  std::vector<Event> events() { return *store->records().events({.limit = 100'000}); }
  std::vector<EventType> event_types(TaskId of = {}) {
    std::vector<EventType> types;
    for (const Event& event : events()) {
      if (!of || event.task == of) types.push_back(event.type);
    }
    return types;
  }

  /// Every invariant holds.
  void expect_sound() {
    const Result<Verification> checked = verify(store->records(), {});
    ASSERT_TRUE(checked) << checked.error().text();
    for (const Violation& one : checked->violations) {
      ADD_FAILURE() << one.invariant << ": " << one.message;
    }
  }

  ManualClock clock;
  std::shared_ptr<Store> store;
  std::unique_ptr<Engine> engine;
};

/// A stage that succeeds with a small output.
inline Outcome succeed(Context&, std::stop_token) {
  return Output{.json = Json::object({{"ok", true}})};
}

}  // namespace pawl::testing_world
