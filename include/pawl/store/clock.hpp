#pragma once

/// The clock a store reads. Injected: real in production, set by hand in tests and simulations.

#include <atomic>

#include "pawl/core/time.hpp"

namespace pawl {

class Clock {
 public:
  virtual ~Clock() = default;
  /// UTC now. May be called from any thread.
  [[nodiscard]] virtual Timestamp now() const = 0;
  /// Whether time passes by itself; if not, whoever waits must be driven.
  [[nodiscard]] virtual bool ticks() const { return true; }
};

/// The system's clock, kept from going back: durations come from the monotonic clock.
[[nodiscard]] const Clock& system_clock();

/// Time that moves only when told to.
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
