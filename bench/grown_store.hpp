#pragma once

/// A store as large as years make it, in a minute: a job that the engine really carried out, and
/// then copies of all its rows with other ids. Nothing in it says that it was not all carried out;
/// `verify` finds nothing.

#include <cstdint>
#include <filesystem>

namespace pawl::bench {

/// Makes the store with at least `attempts` attempts; answers how many it has.
std::int64_t grow_store(const std::filesystem::path& path, std::int64_t attempts);

/// How many bytes of disk that takes, roughly.
[[nodiscard]] std::int64_t bytes_of_grown_store(std::int64_t attempts);

}  // namespace pawl::bench
