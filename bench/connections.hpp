#pragma once

/// The connections of this process, watched from outside: which rows they change, and with which
/// pragmas they write.

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace pawl::bench {

enum class Table : std::uint8_t {
  items,
  tasks,
  attempts,
  journal,
  journal_zones,
  jobs,
  workers,
  counters,
  audit,  ///< one row for a submission, however many items it has
  other,
};
inline constexpr std::array<std::string_view, 10> table_names{
    "items", "tasks",   "attempts", "journal", "journal_zones",
    "jobs",  "workers", "counters", "audit",   "other"};

struct RowCount {
  std::int64_t inserted = 0;
  std::int64_t updated = 0;
  std::int64_t deleted = 0;
  friend bool operator==(const RowCount&, const RowCount&) = default;
};
struct RowCounts {
  std::array<RowCount, table_names.size()> of_table{};

  [[nodiscard]] const RowCount& operator[](Table table) const {
    return of_table[static_cast<std::size_t>(table)];
  }
};
[[nodiscard]] RowCounts operator-(const RowCounts& after, const RowCounts& before);

/// The settings that determine the cost of a commit.
struct Pragmas {
  std::array<char, 8> journal_mode{};
  std::int64_t synchronous = 0;
  std::int64_t page_size = 0;
  std::int64_t cache_size = 0;
  std::int64_t wal_autocheckpoint = 0;
  friend bool operator==(const Pragmas&, const Pragmas&) = default;
};
[[nodiscard]] std::string text_of(const Pragmas& pragmas);

/// Watches every connection opened from now on.
void watch_connections();

/// From now on every changed row in this process is counted. Counting takes time, so nothing is
/// timed then. REQUIRES: no connection is open.
void count_rows();
[[nodiscard]] RowCounts rows_of(const std::filesystem::path& database);

/// Reads them from the database's one writing connection. REQUIRES: it is not in use.
[[nodiscard]] Pragmas pragmas_of_writer(const std::filesystem::path& database);

}  // namespace pawl::bench
