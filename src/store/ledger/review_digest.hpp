#pragma once

/// What binds an answer to exactly what was shown.

#include <span>
#include <string>

#include "pawl/core/attempt.hpp"
#include "pawl/core/review_rules.hpp"

namespace pawl::store {

/// "sha256:…" over the number and the output of each attempt that is shown, and over the input:
/// the data of the child or the item, or the job's params.
[[nodiscard]] std::string review_digest(std::span<const Attempt> shown, const Json& input);

/// The same with content that somebody has approved, if it is not simply the attempt that the
/// review is about: whoever saw the review before has not seen what is to be approved.
[[nodiscard]] std::string review_digest_with(const std::string& digest, const Review& review,
                                             const ApprovedContent& proposed);

}  // namespace pawl::store
