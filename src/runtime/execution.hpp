#pragma once

/// Runs the code of one attempt and the gates that judge it, on whatever thread calls. Exceptions
/// of users' code end here.

#include <functional>
#include <memory>

#include "runtime/job_plan.hpp"

namespace pawl::runtime {

/// What an execution reports to the loop while it goes on.
struct ExecutionPorts {
  std::shared_ptr<Store> store;
  const Clock* clock;
  bool may_wait;  ///< whether an execution may hold its thread while the store does not answer
  /// Called when the code starts, where the stage has a timeout.
  std::function<void(const OpenAttempt&, Timestamp started_at)> started;
  /// Called when a gate is asked, where any gate of the stage has a timeout: the one before it was
  /// in time.
  std::function<void(const OpenAttempt&, std::size_t gate, Timestamp asked_at)> gate_started;
  /// Called when the store did not take an output.
  std::function<void(const Error&)> trouble;
  /// An asynchronous stage has completed; `finish_async` has to be run for it.
  std::function<void(std::shared_ptr<const OpenAttempt>, Timestamp started_at, Outcome)> completed;
};

/// Does the work and judges it. Null: the stage is asynchronous, and has only begun.
[[nodiscard]] std::unique_ptr<Finished> execute(const std::shared_ptr<const OpenAttempt>& attempt,
                                                const ExecutionPorts& ports);

/// Judges what an asynchronous stage brought.
[[nodiscard]] std::unique_ptr<Finished> finish_async(
    const std::shared_ptr<const OpenAttempt>& attempt, Timestamp started_at, Outcome outcome,
    const ExecutionPorts& ports);

}  // namespace pawl::runtime
