#pragma once

/// What the engine's loop keeps of attempts. Owned by whoever drives the loop.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "pawl/store/store.hpp"
#include "runtime/holdings.hpp"
#include "runtime/inbox.hpp"
#include "runtime/job_plan.hpp"
#include "runtime/pool.hpp"

namespace pawl {

/// Why an attempt was asked to stop.
enum class StopReason : std::uint8_t { none, deadline, cancel, shutdown, lease };

/// An attempt in this engine's hands.
struct HeldAttempt {
  std::shared_ptr<OpenAttempt> attempt;
  Pool::Ticket ticket = 0;
  Timestamp started_at;     ///< known where the stage has a timeout
  std::size_t gate = 0;     ///< the one that is being asked
  Timestamp gate_deadline;  ///< its own
  StopReason stop_reason = StopReason::none;
  bool overran_in_gate = false;
  bool closing = false;      ///< its step is with the store
  bool was_refused = false;  ///< the store refused its result; what is sent now is a substitute
  std::optional<CancelCause> item_cancelled;
  std::unique_ptr<Finished> finished;

  /// The store knows of no cancel, so there was none: what was stopped because of it runs again.
  void forget_cancel();
};

/// What the store says of this worker.
struct HeldInStore {
  WorkerId worker;
  Result<WorkerRecord> self;
  std::vector<Task> open;
  bool is_complete = false;
};

/// What is left of what this engine knew, after the store was set back.
struct Remembered {
  std::vector<std::pair<JobId, Result<Job>>> jobs;
  std::vector<OpenName> forgotten;
  bool is_complete = true;
};

}  // namespace pawl
