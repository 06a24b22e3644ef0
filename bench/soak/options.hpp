#pragma once

/// How the soak was called.

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
  std::int64_t items = 200;  ///< of one wave; there is about one a second
  bool json = false;
  Limits limits;
  std::string worker;         ///< a store to work on as the second process, and nothing else
  std::string run_directory;  ///< of that
};

/// Refuses what it does not understand, with exit code 2; answers `--help` itself.
[[nodiscard]] Options options_from(int count, char** arguments);

[[nodiscard]] const char* name_of(Options::Kind kind);

}  // namespace pawl::soak
