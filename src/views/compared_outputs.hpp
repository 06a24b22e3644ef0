#pragma once

/// The outputs of two attempts of a task, side by side.

#include <optional>
#include <string>
#include <vector>

#include "views/attempts.hpp"

namespace pawl::views {

struct ComparedOutputs {
  TaskAttempts task;
  AttemptNumber from = 0;
  AttemptNumber to = 0;
  Json before;  ///< in full
  Json after;
};

/// The attempts with these numbers, else the two newest with an output, of the only task at the
/// address that has two. `refused` if there is none, `invalid` if there are several: the address
/// must name the stage. `not_found` if an attempt has no output.
[[nodiscard]] Result<ComparedOutputs> compared_outputs(Records& records, const Address& address,
                                                       std::optional<AttemptNumber> from,
                                                       std::optional<AttemptNumber> to);

/// {"stage","child","from","to","same","diff"}; `diff` as `in_words` of a `line_diff` writes it.
[[nodiscard]] Json diff_document(const ComparedOutputs& outputs, const std::string& diff);

}  // namespace pawl::views
