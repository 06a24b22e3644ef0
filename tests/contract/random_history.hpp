#pragma once

/// A seeded random history on one store: jobs are submitted, claimed, worked on and changed by
/// operators and reviewers; people come and go; workers start, stop and die; time passes. The store
/// decides what is tested: several stores behind one, or one with a model beside it.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "contract/dice.hpp"
#include "contract/random_acts.hpp"

namespace pawl::driving {

class RandomHistory {
 public:
  struct Options {
    bool brings_history = true;  ///< items that come with attempts, and adopted ones
    bool brings_tokens = false;  ///< tokens and sessions of people
    bool tells = false;          ///< prints each step
  };

  /// Starts on an empty store; `clock` is the clock of the store.
  RandomHistory(std::uint64_t seed, Options options, Store& store, ManualClock& clock);

  void step();
  /// Lets everything succeed. Tasks that then have not ended fail the test, with what they wait for
  /// (I12).
  void run_to_the_end();

 private:
  struct Held {
    Task task;
    WorkerId worker;
  };

  [[nodiscard]] std::string left_of(JobId job);
  void tell(const std::string& what) const;
  WorkerId enlist();
  void hold(const std::vector<Claimed>& opened, WorkerId worker);

  std::vector<NewItem> some_items(std::uint64_t max);
  ItemHistory some_history();
  Workflow some_workflow();
  Work some_work(const StageDefinition& stage, const Task& task);
  NewJob some_job();
  std::vector<LaneShare> some_shares();

  void submit();
  void add_items();
  void claim();
  void settle_condition(const Task& ready, WorkerId worker);
  Step closing(const Task& task, Work work);
  void close_some();
  void commit(const std::vector<Step>& steps, WorkerId worker, const Refill& refill = {});
  void answer_everything_later();
  void act();
  void change_people();
  void pass_time();
  void sweep();
  void worker_life();
  bool approve(const Review& review);
  bool work_off(WorkerId worker);

  Dice dice_;
  Options options_;
  Store& store_;
  ManualClock& clock_;
  RandomActs acts_;
  std::vector<WorkerId> workers_;
  std::vector<Workflow> workflows_;
  std::vector<JobId> jobs_;
  std::vector<Held> held_;
  Timestamp next_open_ = no_time;  ///< as reported by the last claim
  BatchNumber batch_ = 0;
};

/// Plays `count` histories from seed 1 on. PAWL_SEED=n plays only one and prints its steps;
/// PAWL_SEEDS=n plays n. Stops at the first failure and prints its seed, even if the process
/// aborts.
void play_histories(std::uint64_t count,
                    const std::function<void(std::uint64_t seed, bool tells)>& play);

}  // namespace pawl::driving
