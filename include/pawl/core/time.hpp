#pragma once

/// Time as values. The core never reads a clock: `now` is always an argument.

#include <chrono>

namespace pawl {

using Duration = std::chrono::microseconds;

/// A time in UTC, in microseconds, by the store's clock.
using Timestamp = std::chrono::sys_time<Duration>;

/// "Not set": the epoch itself, which no real record carries.
inline constexpr Timestamp no_time{};

/// Converts a duration given in any unit.
template <class Rep, class Period>
constexpr Duration as_duration(std::chrono::duration<Rep, Period> d) {
  return std::chrono::duration_cast<Duration>(d);
}

}  // namespace pawl
