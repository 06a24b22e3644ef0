#pragma once

/// The machine of the measurement.

#include <filesystem>
#include <string>

#include "pawl/core/json.hpp"

namespace pawl::bench {

struct Machine {
  std::string system;
  std::string processor;
  unsigned processors = 0;
  std::int64_t memory_mib = 0;
  std::string sqlite;
  std::string compiler;
  std::filesystem::path folder;
  std::int64_t free_mib = 0;  ///< of the folder's disk
  bool in_memory = false;     ///< the folder is in memory and waits for no disk
  double load = 0;            ///< of the last minute before the measurement
};
[[nodiscard]] Machine this_machine(const std::filesystem::path& folder);
[[nodiscard]] std::string text_of(const Machine& machine);
[[nodiscard]] Json json_of(const Machine& machine);

}  // namespace pawl::bench
