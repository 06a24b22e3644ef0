#pragma once

/// What one side of a comparison wrote, and whether the other side wrote the same.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/connections.hpp"
#include "bench/counting_vfs.hpp"
#include "pawl/core/json.hpp"

namespace pawl::bench {

/// Trivially copyable, because it comes from a child process through a pipe.
struct Written {
  RowCounts rows;  ///< from a separate run, see `count_rows`; otherwise zeros
  Traffic traffic;
  std::int64_t transactions = 0;
  std::int64_t log_peak = 0;       ///< the largest number of bytes of the write-ahead log in use
  std::int64_t bytes_at_rest = 0;  ///< the database after a checkpoint of its log; 0: not measured
  Pragmas pragmas;
};

/// Watches a database from outside, from its creation to `wrote`. REQUIRES: it is open.
class Watch {
 public:
  explicit Watch(std::filesystem::path database);
  /// REQUIRES: nothing is being written.
  [[nodiscard]] Written wrote() const;

 private:
  std::filesystem::path database_;
  RowCounts rows_;
  Traffic traffic_;
  std::int64_t transactions_;
};

/// The size of a closed database after a checkpoint of its log.
[[nodiscard]] std::int64_t bytes_at_rest(const std::filesystem::path& database);

/// Ends the program unless both wrote the same rows with the same pragmas. Rows that a transaction
/// writes once may differ (jobs, workers, zones, counters: the sizes of transactions differ). The
/// journal and rows that belong to no step may differ by one for each transaction: openings share
/// rows of the journal within it.
void must_be_equal(std::string_view name, const Written& ours, const Written& other);

/// One row of a table for people, its heading, and the same for programs.
[[nodiscard]] std::string written_heading();
[[nodiscard]] std::string text_of(const Written& wrote);
[[nodiscard]] Json json_of(const Written& wrote);
[[nodiscard]] Json json_of(const RowCounts& rows);

}  // namespace pawl::bench
