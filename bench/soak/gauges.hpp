#pragma once

/// What this process and its store use at this moment, as reported by the system.

#include <filesystem>
#include <string>

#include "bench/soak/limits.hpp"

namespace pawl::soak {

/// `store`: the file of a SQLite store; empty: there is none.
[[nodiscard]] Reading read_gauges(double at, const std::filesystem::path& store);

/// How many processes of this machine have this text ("NAME=value") in their environment.
[[nodiscard]] int processes_with(const std::string& variable);

}  // namespace pawl::soak
