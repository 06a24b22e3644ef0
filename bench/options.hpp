#pragma once

/// The command line of the benchmarks.

#include <cstdint>
#include <string>
#include <vector>

#include "bench/works.hpp"

namespace pawl::bench {

struct Options {
  Plan plan;
  std::vector<std::string> only;  ///< names of works; empty: all
  bool json = false;
  std::string steps_of;  ///< only counts the steps of this store
  std::int64_t steps_items = 0;
  std::string drain;  ///< only drains the newest job of this store
};

/// Ends the program with exit code 2 and the usage text.
[[noreturn]] void refuse(const std::string& why);

/// Refuses unknown arguments; handles `--help` itself.
[[nodiscard]] Options options_from(int count, char** arguments);

}  // namespace pawl::bench
