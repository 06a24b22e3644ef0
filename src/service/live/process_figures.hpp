#pragma once

/// What the system says about this process.

namespace pawl::service {

/// 0: not known.
struct ProcessFigures {
  double started_at = 0;  ///< in seconds since 1970
  double resident_bytes = 0;
  double cpu_seconds = 0;
  double threads = 0;
  double open_fds = 0;
  double max_fds = 0;
};

/// Reads /proc/self.
[[nodiscard]] ProcessFigures process_figures();

}  // namespace pawl::service
