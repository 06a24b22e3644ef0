#pragma once

/// The command line of the soak.

#include <filesystem>
#include <string>

#include "bench/soak/limits.hpp"
#include "pawl/core/time.hpp"

namespace pawl::soak {

struct Options {
  enum class Kind : std::uint8_t { sqlite, postgres, memory };
  Kind kind = Kind::sqlite;
  Duration time = std::chrono::minutes(10);
  std::filesystem::path folder;
  std::int64_t items = 200;  ///< items of one wave; there is about one wave a second
  bool json = false;
  Limits limits;
  std::string worker;         ///< only works on this store, as the second process
  std::string run_directory;  ///< of the second process
};

/// Refuses unknown arguments with exit code 2; handles `--help` itself.
[[nodiscard]] Options options_from(int count, char** arguments);

[[nodiscard]] const char* name_of(Options::Kind kind);

}  // namespace pawl::soak
