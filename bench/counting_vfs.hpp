#pragma once

/// Counts what reaches the files of a database, between SQLite and the operating system. Both sides
/// of a comparison write through it without knowing, so neither counts itself.

#include <cstdint>
#include <filesystem>

namespace pawl::bench {

struct Traffic {
  std::int64_t log_bytes = 0;
  std::int64_t log_syncs = 0;
  std::int64_t database_bytes = 0;
  std::int64_t database_syncs = 0;

  [[nodiscard]] std::int64_t syncs() const { return log_syncs + database_syncs; }
};
[[nodiscard]] Traffic operator-(const Traffic& after, const Traffic& before);

/// Puts the counter between SQLite and its files, for every database opened from now on.
void count_traffic();

/// Since the database was first opened in this process.
[[nodiscard]] Traffic traffic_of(const std::filesystem::path& database);

/// The largest number of bytes of the write-ahead log in use since the last restart.
[[nodiscard]] std::int64_t log_peak(const std::filesystem::path& database);
void restart_log_peak(const std::filesystem::path& database);

}  // namespace pawl::bench
