#pragma once

/// One simulated process: a real engine without threads, its line to the store, and the unfinished
/// work of its stages. It can be killed at any call, frozen and thawed.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pawl/runtime/engine.hpp"
#include "simulation/line.hpp"
#include "simulation/scenario.hpp"

namespace pawl::simulation {

/// Work that has begun: it ends when the simulation says so.
struct InFlight {
  std::shared_ptr<AsyncAttempt> attempt;
  WorkName work;
  Timestamp due;  ///< when it is done; none: it never returns by itself
  /// For work that ends at once when it is asked to stop.
  std::unique_ptr<std::stop_callback<std::function<void()>>> obeys = {};
};

class Process {
 public:
  struct Ports {
    Line::Ports line;
    /// Called with each event that a subscriber of this engine receives.
    std::function<void(const Event&)> told;
  };
  /// Null if the process could not sign on.
  [[nodiscard]] static std::unique_ptr<Process> start(std::string name, const Scenario& scenario,
                                                      const std::shared_ptr<Store>& store,
                                                      Ports ports);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Engine& engine() { return *engine_; }
  [[nodiscard]] Line& line() { return *line_; }
  [[nodiscard]] std::vector<InFlight>& in_flight() { return in_flight_; }

  /// One turn of the engine; returns whether it did anything.
  bool poll();
  /// Ends work by its number; the attempt gets the result of the scenario.
  void complete(std::size_t which);
  /// Ends it as if it had been asked to stop.
  void give_up(std::size_t which);

  bool is_frozen = false;
  bool is_busy = false;        ///< inside a call: it cannot be driven meanwhile
  std::uint64_t quiet_at = 0;  ///< the state of the world at which it had nothing to do

 private:
  Process(std::string name, const Scenario& scenario, Store& store, Ports ports)
      : name_(std::move(name)), scenario_(scenario), store_(store), ports_(std::move(ports)) {}
  [[nodiscard]] WorkName name_of(const Context& context) const;
  [[nodiscard]] std::shared_ptr<const StageCode> code_of(const StageDefinition& stage);

  std::string name_;
  const Scenario& scenario_;
  Store& store_;  ///< the real store, whatever the state of the line
  Ports ports_;
  std::shared_ptr<Line> line_;
  std::vector<InFlight> in_flight_;
  std::unique_ptr<Engine> engine_;
  Subscription subscription_;
};

}  // namespace pawl::simulation
