#pragma once

/// What a PostgreSQL server did for one side of a comparison, by its own counters, and whether it
/// did the same for the other side.

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/connections.hpp"
#include "bench/sample.hpp"
#include "pawl/core/json.hpp"

namespace pawl::bench {

/// Trivially copyable, because it comes from a child process through a pipe.
struct Served {
  RowCounts rows;                 ///< of one schema; `writers` is among the others
  std::int64_t writes = 0;        ///< transactions that record their writer, as all of pawl's do
  std::int64_t transactions = 0;  ///< of the database, including those that only read
  std::int64_t wal_bytes = 0;     ///< of the whole server, as the next two
  std::int64_t wal_full_pages =
      0;  ///< pages written whole, being the first change since a checkpoint
  std::int64_t wal_syncs = 0;
};

/// Watches a schema from outside, from its creation to `served`. Waits both times until every
/// session has ended, because only then the server has counted everything.
class ServerWatch {
 public:
  /// Makes a checkpoint first, so that earlier writes do not count.
  ServerWatch(std::string server, std::string schema);
  /// REQUIRES: the measured side has closed its sessions, or is about to.
  [[nodiscard]] Served served() const;

 private:
  std::string server_;
  std::string schema_;
  Served before_;
};

/// One run of one side on a server.
struct ServedSample {
  Sample sample;
  Served served;
};

/// Ends the program unless both wrote the same rows. Rows that a transaction writes once may
/// differ; the journal may differ by a row for each transaction.
void must_be_equal(std::string_view name, const Served& ours, const Served& other);

/// One row of a table for people, its heading, and the same for programs.
[[nodiscard]] std::string served_heading();
[[nodiscard]] std::string text_of(const Served& served);
[[nodiscard]] Json json_of(const Served& served);

}  // namespace pawl::bench
