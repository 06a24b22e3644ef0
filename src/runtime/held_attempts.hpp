#pragma once

/// The attempts in an engine's hands, with their time limits.
///
/// A task is held once. When it is opened again, its earlier attempt is superseded: that one is
/// stopped, and its late result finds nothing.
///
/// Threads: whoever drives the loop.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "runtime/desk.hpp"
#include "runtime/holdings.hpp"
#include "runtime/job_plan.hpp"
#include "runtime/recycled.hpp"
#include "runtime/timers.hpp"

namespace pawl::runtime {

/// Why an attempt was asked to stop.
enum class StopReason : std::uint8_t { none, deadline, cancel, shutdown, lease };

struct HeldAttempt {
  std::shared_ptr<OpenAttempt> attempt;
  Desk::Ticket ticket = 0;
  Timestamp started_at;     ///< known where the stage has a timeout
  std::size_t gate = 0;     ///< the one that is being asked
  Timestamp gate_deadline;  ///< its own
  StopReason stop_reason = StopReason::none;
  bool overran_in_gate = false;
  bool closing = false;      ///< its step is queued or with the store
  bool was_refused = false;  ///< the store refused its result; what is sent now is a substitute
  std::optional<CancelCause> item_cancelled;
  std::unique_ptr<Finished> finished;

  [[nodiscard]] OpenName name() const { return {attempt->task.id, attempt->task.version}; }
  [[nodiscard]] bool is_of(JobId job) const { return attempt->plan->id == job; }
  /// The store knows of no cancel, so there was none: what was stopped because of it runs again.
  void forget_cancel();
};

class HeldAttempts {
 public:
  /// `desk` has those that wait for a thread, and must outlive this.
  explicit HeldAttempts(Desk& desk) : desk_(desk) {}

  [[nodiscard]] std::size_t size() const { return held_.size(); }
  [[nodiscard]] bool is_empty() const { return held_.empty(); }
  [[nodiscard]] bool has(TaskId task) const { return held_.contains(task); }
  [[nodiscard]] bool has_any_of(JobId job) const;
  // Pairs of task and attempt.
  [[nodiscard]] auto begin() { return held_.begin(); }
  [[nodiscard]] auto end() { return held_.end(); }

  /// Null: the task is not held.
  [[nodiscard]] HeldAttempt* find(TaskId task);
  /// Null: this very attempt is not held.
  [[nodiscard]] HeldAttempt* find(const OpenName& name);
  /// Null: this very attempt is not held, or its step is with the store.
  [[nodiscard]] HeldAttempt* find_running(const OpenName& name);
  /// The attempt that a step was made from. A task may be held again, by a later attempt, before
  /// the answer to the step of an earlier one has come.
  [[nodiscard]] HeldAttempt* find_for(const Step& step);

  HeldAttempt& hold(std::shared_ptr<OpenAttempt> attempt);
  /// Holds it no longer; empty where it is not held.
  [[nodiscard]] HeldAttempt take_for(const Step& step);
  /// Stops it, and holds it no longer. Its task is given to somebody else.
  void surrender(TaskId task);
  void surrender_all_of(JobId job);
  void surrender_all();

  // Time limits.

  void started(const OpenName& name, Timestamp at);
  void gate_started(const OpenName& name, std::size_t gate, Timestamp at);
  void begin_grace(const HeldAttempt& held, Timestamp until);
  /// When the next limit is due; none: there is none.
  [[nodiscard]] Timestamp next_due() const { return timers_.next(); }
  struct Due {
    Timer::Kind kind = Timer::Kind::attempt;
    HeldAttempt* held = nullptr;
  };
  /// One whose limit is due and that still runs; empty: there is none.
  [[nodiscard]] std::optional<Due> take_due(Timestamp now);

 private:
  void stop(const HeldAttempt& held);

  Desk& desk_;
  std::unordered_map<TaskId, HeldAttempt, std::hash<TaskId>, std::equal_to<>,
                     Recycled<std::pair<const TaskId, HeldAttempt>>>
      held_;
  Timers timers_;
};

}  // namespace pawl::runtime
