#pragma once

/// Ctrl-C and its relatives as something to wait for, instead of something that interrupts.

#include "pawl/core/time.hpp"

namespace pawl::cli {

/// Holds SIGINT, SIGTERM and SIGHUP back from this thread and from every thread started after it.
/// Make it before any other thread; while it lives they only make `wait` return early.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// Waits so long, or until one of the signals arrives; answers whether one did, and takes it.
  [[nodiscard]] bool wait(Duration duration) const;

 private:
  int descriptor_ = -1;
};

/// Whether one of the signals has arrived and was not taken yet; false where none are held back.
/// For waits inside of other calls: the signal stays for whoever waits for it. Threads: any.
[[nodiscard]] bool stop_is_pending();

/// From now on `stop_is_pending` answers no: an engine stops, and what it has done must get its turn
/// at the store.
void let_waits_end_by_themselves();

}  // namespace pawl::cli
