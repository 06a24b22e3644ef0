#pragma once

/// What one side of a comparison wrote, and whether it is what the other side wrote.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "bench/connections.hpp"
#include "bench/counting_vfs.hpp"
#include "pawl/core/json.hpp"

namespace pawl::bench {

/// Plain, because it comes from a child process through a pipe.
struct Written {
  RowCounts rows;  ///< of a run of its own, see `count_rows`; zeros elsewhere
  Traffic traffic;
  std::int64_t transactions = 0;
  std::int64_t log_peak = 0;       ///< bytes of the write-ahead log in use at the most
  std::int64_t bytes_at_rest = 0;  ///< of the database with its log folded in; 0: not asked
  Pragmas pragmas;
};

/// Looks at a database from outside between its making and `wrote`. REQUIRES: it is open.
class Watch {
 public:
  explicit Watch(std::filesystem::path database);
  /// REQUIRES: nobody writes at this moment.
  [[nodiscard]] Written wrote() const;

 private:
  std::filesystem::path database_;
  RowCounts rows_;
  Traffic traffic_;
  std::int64_t transactions_;
};

/// The size of a database that nobody has open any more, its log folded in.
[[nodiscard]] std::int64_t bytes_at_rest(const std::filesystem::path& database);

/// Ends the program unless both wrote the same rows with the same pragmas. Free are what a
/// transaction writes once (jobs, workers, zones, counters: the sizes of transactions differ). The
/// journal and what belongs to no step may be apart by a row for each transaction: openings share
/// rows of the journal within it.
void must_be_equal(std::string_view name, const Written& ours, const Written& other);

/// One row of a table for people, its heading, and the same for programs.
[[nodiscard]] std::string written_heading();
[[nodiscard]] std::string text_of(const Written& wrote);
[[nodiscard]] Json json_of(const Written& wrote);
[[nodiscard]] Json json_of(const RowCounts& rows);

}  // namespace pawl::bench
