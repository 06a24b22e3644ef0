#pragma once

/// A store as large as after years, in a minute: a job that the engine really ran, and then copies
/// of all its rows with other ids. It cannot be distinguished from a store of real jobs; `verify`
/// finds nothing.

#include <cstdint>
#include <filesystem>

#include "pawl/runtime/program.hpp"

namespace pawl::bench {

/// Creates the store with at least `attempts` attempts, in jobs of `items_of_a_job` items each that
/// went through the stages of `program`. Returns how many attempts it has.
std::int64_t grow_store(const std::filesystem::path& path, std::int64_t attempts,
                        const Program& program, std::int64_t items_of_a_job = 10'000);

/// Roughly how many bytes of disk that takes.
[[nodiscard]] std::int64_t bytes_of_grown_store(std::int64_t attempts);

}  // namespace pawl::bench
