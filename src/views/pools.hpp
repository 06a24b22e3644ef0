#pragma once

/// Pools and rates: who uses them, and when the next attempt may start.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pawl/store/records.hpp"

namespace pawl::views {

/// A running attempt that uses a slot.
struct SlotHolder {
  JobId job;
  std::string item;  ///< its key; empty for a job-wide stage
  std::string stage;
  std::string child;
  AttemptNumber attempt = 0;
  WorkerId worker;
  Timestamp since;
};

/// A pool that an unfinished job names, or that is in use. If jobs give it different limits, these
/// are the strictest.
struct Pool {
  std::string name;
  std::int64_t open = 0;
  std::uint32_t parallel = 0;  ///< 0: no limit
  Rate rate;
  Timestamp next_slot;  ///< when the rate allows another attempt; none: now
  std::vector<SlotHolder> holders;
};

/// By name.
[[nodiscard]] Result<std::vector<Pool>> pools_of(Records& records, Timestamp now);

/// The running attempts that count in this pool, oldest task first.
[[nodiscard]] Result<std::vector<SlotHolder>> holders_of_pool(Records& records,
                                                              const std::string& pool);
/// The running attempts of a job.
[[nodiscard]] Result<std::vector<SlotHolder>> holders_in_job(Records& records, JobId job);

/// When the rate allows another attempt; none: now.
[[nodiscard]] Result<Timestamp> next_slot(Records& records, const std::string& pool,
                                          const Rate& rate, Timestamp now);

/// "10 per 1m".
[[nodiscard]] std::string in_words(const Rate& rate);
/// "doc-1/convert (worker 3), doc-2/convert (worker 3) and 4 more". Not escaped.
[[nodiscard]] std::string in_words(const std::vector<SlotHolder>& holders);

[[nodiscard]] Json holder_document(const SlotHolder& holder);
[[nodiscard]] Json pool_document(const Pool& pool);

}  // namespace pawl::views
