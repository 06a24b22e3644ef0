#pragma once

/// Looks through a whole export before anything of it is written.

#include <cstdint>
#include <istream>
#include <optional>

#include "transfer/lines.hpp"

namespace pawl::transfer {

struct Contents {
  Header header;
  Workflow workflow;
  Job job;                       ///< as it was exported
  std::optional<Job> originals;  ///< with the counters of what came along
  std::int64_t first_ordinal = 0;
  std::int64_t last_ordinal = 0;
  MovedCounts moved;
  std::string sha256;                         ///< of every line but the last
  std::optional<codec::Signature> signature;  ///< a good one
  std::string signed_by;                      ///< the fingerprint of its key
};

/// What an export has, or why it cannot be taken: each line by itself, their order, and whether the
/// job's counters are those of its records.
[[nodiscard]] Result<Contents> inspect(std::istream& in);

}  // namespace pawl::transfer
