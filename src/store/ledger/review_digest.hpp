#pragma once

/// What binds an answer to exactly what was shown.

#include <span>
#include <string>

#include "pawl/core/attempt.hpp"

namespace pawl::store {

/// "sha256:…" over the number and the output of each attempt that is shown, and over the input:
/// the data of the child or the item, or the job's params.
[[nodiscard]] std::string review_digest(std::span<const Attempt> shown, const Json& input);

/// The same with edits that somebody has proposed: who saw the review without them has not seen
/// what is to be approved.
[[nodiscard]] std::string review_digest_with_edits(const std::string& digest, const Json& edits);

}  // namespace pawl::store
