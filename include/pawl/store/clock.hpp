#pragma once

/// The clock that a store reads. Injected: real in production, manual in tests and simulations.

#include <atomic>

#include "pawl/core/time.hpp"

namespace pawl {

class Clock {
 public:
  virtual ~Clock() = default;
  /// The current time in UTC. May be called from any thread.
  [[nodiscard]] virtual Timestamp now() const = 0;
  /// Whether time passes by itself. If not, a caller that waits must drive the engine instead.
  [[nodiscard]] virtual bool ticks() const { return true; }
};

/// The system clock. It never goes backwards: elapsed time comes from the monotonic clock.
[[nodiscard]] const Clock& system_clock();

/// A clock that moves only when a caller advances it.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = Timestamp{std::chrono::seconds(1'700'000'000)})
      : now_(start.time_since_epoch().count()) {}
  [[nodiscard]] Timestamp now() const override { return Timestamp{Duration{now_.load()}}; }
  [[nodiscard]] bool ticks() const override { return false; }
  void advance(Duration by) { now_ += by.count(); }
  /// Never moves back.
  void advance_to(Timestamp to);

 private:
  std::atomic<Duration::rep> now_;
};

}  // namespace pawl
