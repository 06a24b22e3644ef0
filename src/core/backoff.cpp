#include <algorithm>
#include <cmath>
#include <cstdint>

#include "pawl/core/decide.hpp"

namespace pawl {
namespace {

/// About a hundred years: far beyond any use, and still exact in a double.
constexpr Duration delay_max = std::chrono::hours(24 * 365 * 100);

std::uint64_t splitmix64(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

/// A number in [0, 1) that is the same for an attempt on every machine.
double unit_of(TaskId task, AttemptNumber attempt) {
  const std::uint64_t seed = splitmix64(static_cast<std::uint64_t>(task.value()));
  return static_cast<double>(splitmix64(seed ^ attempt) >> 11) * 0x1.0p-53;
}

/// Multiplies only, so that a recorded delay does not depend on the libm in use.
double power(double base, std::uint32_t exponent) {
  double result = 1.0;
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1U) != 0) result *= base;
    base *= base;
  }
  return result;
}

/// Rounds to whole microseconds. A value that is too large or not a number becomes the longest
/// delay.
Duration clamped(double microseconds) {
  if (!(microseconds < static_cast<double>(delay_max.count()))) return delay_max;
  return Duration{std::llround(microseconds)};
}

}  // namespace

Duration backoff_delay(const Backoff& backoff, std::uint32_t failures, TaskId task,
                       AttemptNumber attempt) {
  if (backoff.initial <= Duration::zero()) return Duration::zero();
  const std::uint32_t steps = failures == 0 ? 0 : failures - 1;
  Duration delay =
      clamped(static_cast<double>(backoff.initial.count()) * power(backoff.multiplier, steps));
  if (backoff.max > Duration::zero() && delay > backoff.max) delay = backoff.max;
  if (backoff.jitter <= 0.0) return delay;
  // Jitter is added after the cap, so that retries that have reached the cap are spread as well.
  const double share = backoff.jitter * unit_of(task, attempt);
  const Duration longer = clamped(static_cast<double>(delay.count()) * share);
  return std::min(delay + longer, delay_max);
}

}  // namespace pawl
