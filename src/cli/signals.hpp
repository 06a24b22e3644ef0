#pragma once

/// Waits for Ctrl-C and similar signals, instead of being interrupted by them.

#include <cstdint>

#include "pawl/core/time.hpp"

namespace pawl::cli {

/// Blocks SIGINT, SIGTERM and SIGHUP in this thread and in every thread started after it. Create it
/// before any other thread. While it exists, these signals only make `wait` return early.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Waits for this time, or until one of the signals arrives. Returns whether one did, and
  /// consumes it.
  [[nodiscard]] bool wait(Duration duration) const { return take(duration) != 0; }
  /// The same; returns the number of the signal, such as SIGHUP. 0: none arrived.
  [[nodiscard]] int take(Duration duration) const;

 private:
  int descriptor_ = -1;
};

/// Whether one of the signals has arrived and is not consumed yet; false if none are blocked. For
/// waits inside of other calls: the signal stays pending for `wait`. Threads: any.
[[nodiscard]] bool stop_is_pending();

enum class InputWait : std::uint8_t {
  ready,    ///< the descriptor can be read
  signal,   ///< one of the blocked signals arrived; it stays pending
  nothing,  ///< the time is over
};
/// Waits this long until the descriptor can be read.
[[nodiscard]] InputWait wait_for_input(int descriptor, Duration patience);
/// Waits until the descriptor can be read. False if one of the blocked signals arrived first; it
/// stays pending.
[[nodiscard]] bool wait_for_input(int descriptor);

/// From now on `stop_is_pending` returns false: the engine is stopping, and its results must still
/// be written to the store.
void let_waits_end_by_themselves();

}  // namespace pawl::cli
