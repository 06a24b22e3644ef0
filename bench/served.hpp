#pragma once

/// What a PostgreSQL server did for one side of a comparison, as the server itself counts it, and
/// whether it is what it did for the other side.

#include <cstdint>
#include <string>
#include <string_view>

#include "bench/connections.hpp"
#include "bench/sample.hpp"
#include "pawl/core/json.hpp"

namespace pawl::bench {

/// Plain, because it comes from a child process through a pipe.
struct Served {
  RowCounts rows;                 ///< of one schema; `writers` is among the others
  std::int64_t writes = 0;        ///< transactions that say who wrote them: all of pawl's do
  std::int64_t transactions = 0;  ///< of the database, those that only read too
  std::int64_t wal_bytes = 0;     ///< of the whole server, as the next two
  std::int64_t wal_full_pages =
      0;  ///< pages written whole, being the first change since a checkpoint
  std::int64_t wal_syncs = 0;
};

/// Looks at a schema from outside between its making and `served`. Waits, both times, until every
/// session has ended, for only then has the server counted all it did.
class ServerWatch {
 public:
  /// Makes a checkpoint first: what was written before is nobody's business then.
  ServerWatch(std::string server, std::string schema);
  /// REQUIRES: whoever is measured has closed its sessions, or is about to.
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

/// Ends the program unless both wrote the same rows. Free are what a transaction writes once; the
/// journal may be apart by a row for each transaction.
void must_be_equal(std::string_view name, const Served& ours, const Served& other);

/// One row of a table for people, its heading, and the same for programs.
[[nodiscard]] std::string served_heading();
[[nodiscard]] std::string text_of(const Served& served);
[[nodiscard]] Json json_of(const Served& served);

}  // namespace pawl::bench
