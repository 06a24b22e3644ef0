#pragma once

/// How the outputs of a task change from attempt to attempt. Files are compared by what is recorded
/// of them (name, SHA-256 and size); their content is not read.

#include <cstdint>
#include <optional>
#include <vector>

#include "pawl/core/attempt.hpp"
#include "pawl/store/records.hpp"

namespace pawl::views {

/// The size of the difference between two outputs.
struct OutputDifference {
  AttemptNumber from = 0;  ///< the attempt with the previous output
  std::int64_t bytes =
      0;  ///< the growth of the canonical JSON text and of the files; negative: less
  /// Of the output as readable lines: texts line by line, other values as indented JSON, and a line
  /// for each file.
  std::int64_t lines_added = 0;
  std::int64_t lines_removed = 0;
  friend bool operator==(const OutputDifference&, const OutputDifference&) = default;
};

struct OutputChange {
  AttemptNumber attempt = 0;
  /// The earliest attempt with the same output, by the digest of the canonical JSON text.
  std::optional<AttemptNumber> same_as;
  std::optional<OutputDifference> difference;  ///< none for the first output
  friend bool operator==(const OutputChange&, const OutputChange&) = default;
};

/// One entry for each attempt with an output, in order of the attempts. An attempt whose output
/// cannot be loaded has none.
[[nodiscard]] std::vector<OutputChange> output_changes(Records& records,
                                                       const std::vector<Attempt>& attempts);

}  // namespace pawl::views
