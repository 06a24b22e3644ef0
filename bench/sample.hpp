#pragma once

/// One run of one side.

#include <cstdint>

#include "bench/written.hpp"

namespace pawl::bench {

struct Sample {
  double seconds = 0;
  double processor = 0;  ///< seconds of all threads
  double commands = 0;   ///< seconds of child processes
  std::int64_t executions = 0;
  std::int64_t peak_kib = 0;
  Written wrote;

  [[nodiscard]] double rate() const { return static_cast<double>(executions) / seconds; }
  [[nodiscard]] double microseconds_each() const { return 1e6 / rate(); }
  [[nodiscard]] double processor_microseconds_each() const {
    return 1e6 * processor / static_cast<double>(executions);
  }
  [[nodiscard]] double commands_microseconds_each() const {
    return 1e6 * commands / static_cast<double>(executions);
  }
  [[nodiscard]] double peak_mebibytes() const { return static_cast<double>(peak_kib) / 1'024; }
};

}  // namespace pawl::bench
