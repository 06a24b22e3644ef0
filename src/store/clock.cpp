#include "pawl/store/clock.hpp"

#include <chrono>

namespace pawl {

namespace {

/// Anchored once at the wall clock, then carried by the monotonic one: never goes back, even when
/// an administrator sets the machine's time. So a process that was started before the clock was
/// set, or before the machine slept, disagrees with one that was started after it; what follows
/// from that is told in docs/failures.md.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Timestamp now() const override {
    return wall_ + as_duration(std::chrono::steady_clock::now() - monotonic_);
  }

 private:
  Timestamp wall_ = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  std::chrono::steady_clock::time_point monotonic_ = std::chrono::steady_clock::now();
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

void ManualClock::advance_to(Timestamp to) {
  const Duration::rep wanted = to.time_since_epoch().count();
  Duration::rep current = now_.load();
  while (current < wanted && !now_.compare_exchange_weak(current, wanted)) {
  }
}

}  // namespace pawl
