#pragma once

/// How the benchmarks were called.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/works.hpp"

namespace pawl::bench {

struct Options {
  Plan plan;
  std::vector<std::string> only;  ///< names of works; empty: all
  bool json = false;
  std::string steps_of;  ///< a store whose steps are to be counted, and nothing else
  std::int64_t steps_items = 0;
  std::string drain;  ///< a store whose newest job is to be drained, and nothing else
};

/// Ends the program with 2 and how to call it.
[[noreturn]] void refuse(const std::string& why);

/// Refuses what it does not understand; answers `--help` itself.
[[nodiscard]] Options options_from(int count, char** arguments);

}  // namespace pawl::bench
