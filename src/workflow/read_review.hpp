#pragma once

/// Reads `review` of a stage: when a reviewer decides, who it is, by when, and what they see.

#include <optional>

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// The policy; empty if it could not be read. Call it after `read_gates`.
[[nodiscard]] std::optional<ReviewPolicy> read_review(Faults& faults, const Value& value,
                                                      StageDraft& draft);

}  // namespace pawl::workflow
