#pragma once

/// One run of the simulated world: several processes with real engines share one store, people act
/// on it, and everything that can break breaks, all from one tape of choices and on virtual time.
/// After every step every invariant is checked.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pawl/store/clock.hpp"
#include "simulation/choices.hpp"
#include "simulation/process.hpp"
#include "simulation/scenario.hpp"
#include "simulation/unfaithful_store.hpp"
#include "simulation/watch.hpp"

namespace pawl::simulation {

struct RunOptions {
  std::uint32_t steps = 200;  ///< with faults; then the run must end
  bool harm = true;           ///< without: one process and no faults
  /// Called with what happens, step by step; may be empty.
  std::function<void(const std::string&)> tell;
  /// Opens the shared store; empty: the memory store.
  std::function<std::shared_ptr<Store>(const Clock&)> open;
};

/// How a task ended: must be the same however often the run was interrupted.
struct TaskEnd {
  std::string state;
  std::string output;
  std::vector<AttemptResult> results;  ///< of the attempts that ended by themselves
  friend bool operator==(const TaskEnd&, const TaskEnd&) = default;
};
using TaskEnds = std::map<std::string, TaskEnd>;

/// How often each kind of thing has happened.
using Occurrences = std::map<std::string, std::uint64_t>;
/// The kinds of things that must happen in a long run and did not.
[[nodiscard]] std::vector<std::string> never_happened(const Occurrences& happened);

struct Run {
  std::optional<Finding> finding;
  std::uint64_t steps = 0;
  std::uint64_t attempts = 0;
  std::uint64_t kills = 0;
  std::uint64_t faults = 0;
  bool was_disturbed = false;  ///< by an outside influence: not to be compared
  TaskEnds endings;
  Occurrences happened;
};

/// Runs a scenario by the tape. A comparable scenario with faults also runs without them, and must
/// end in the same way.
[[nodiscard]] Run simulate(Choices& choices, const RunOptions& options);

class Simulation {
 public:
  Simulation(const Scenario& scenario, Choices& choices, const RunOptions& options);
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  [[nodiscard]] Run run();

 private:
  /// A job on its way into the store: its submitter retries until everything is acknowledged.
  struct Submission {
    std::size_t number = 0;
    JobId job;
    bool is_unsure = false;  ///< an answer was lost: the source is read again
    bool is_done = false;
  };

  // simulation.cpp
  void step();
  bool poll_somebody();
  bool complete_something();
  bool submit_something();
  bool let_time_pass();
  void meanwhile();
  bool may_go_on() const;
  void after_step();
  void compare_with_model();
  std::vector<Process*> awake();
  void start_process();
  void reap();
  void tell(const std::function<std::string()>& what);
  void find(std::string invariant, std::string message);

  // rest.cpp
  void come_to_rest();
  void finish();
  [[nodiscard]] bool waits_for_stages(const Job& job);
  [[nodiscard]] bool waits_for_a_sweep(const Review& review);

  // expectations.cpp
  [[nodiscard]] std::string unfinished();
  void expect_named_waits();
  void expect_nothing_left_lying();
  void ask_a_passer_by(const std::vector<LaneHead>& heads, Duration patience);
  void expect_all_told();
  void expect_ended();
  void read_endings();
  void note_what_happened();
  [[nodiscard]] std::string name_of(const Job& job, const Task& task);

  // harm.cpp
  Fate fate(const char* verb);
  bool is_read_missed();
  void harm();
  void let_arrive(std::size_t which);
  void jump();
  void set_back();

  // people.cpp
  void let_people_in();
  [[nodiscard]] static Actor root();
  [[nodiscard]] Actor as_person(const std::string& name) const;
  [[nodiscard]] Actor an_outsider();
  [[nodiscard]] Actor an_operator();
  [[nodiscard]] Actor a_reviewer();
  [[nodiscard]] Actor submitter_of(const PlannedJob& planned);
  void act_as_somebody();
  void operate(const Job& job);
  void operate_on_tasks(const Job& job);
  void operate_on_stages(const Job& job);
  void change_people();
  Result<Job> act(const Act& act, const Actor& actor, const std::string& what);

  // reviewers.cpp
  [[nodiscard]] std::vector<Review> reviews_to_answer();
  bool answer_as_agreed();
  bool treat_a_review_at_random();
  void answer_at_random(const Review& review);
  void claim_at_random(const Review& review);
  void release_at_random(const Review& review);
  void undo_at_random(const Review& review);
  void assign_at_random(const Review& review);
  void clear_the_way(const Review& review);
  [[nodiscard]] std::vector<Actor> voters_for(const Review& review);
  [[nodiscard]] WorkName work_under(const Review& review);

  const Scenario& scenario_;
  Choices& choices_;
  const RunOptions& options_;
  ManualClock clock_;
  std::shared_ptr<UnfaithfulStore> store_;
  Watch watch_;
  Run run_;
  bool is_calm_ = false;  ///< no more faults
  int depth_ = 0;         ///< nesting of slow calls during which others act
  std::uint64_t stirs_ = 1;
  std::uint64_t seen_mark_ = 0;
  Timestamp held_back_until_ = no_time;
  std::map<std::pair<TaskId, Version>, Timestamp> lying_;  ///< what is ready, and since when
  std::uint64_t processes_started_ = 0;
  std::vector<Submission> submissions_;
  std::vector<OwnedCall> under_way_;  ///< calls that were sent but have not arrived
  std::shared_ptr<Line> people_;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace pawl::simulation
