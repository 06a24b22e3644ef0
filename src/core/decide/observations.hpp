#pragma once

/// What each observation means, with one function for each, in the order in which `decide` asks.
/// `decide` only dispatches.

#include "pawl/core/decide.hpp"

namespace pawl::observed {

[[nodiscard]] Decision on_success(const StageDefinition& stage, const Attempt& closed);
[[nodiscard]] Decision on_rejection(const StageDefinition& stage, const Attempt& closed);
[[nodiscard]] Decision on_uncertain(const StageDefinition& stage, const Attempt& closed);
[[nodiscard]] Decision on_final_error(const Attempt& closed);
[[nodiscard]] Decision on_failure(const StageDefinition& stage, const Attempt& closed);
[[nodiscard]] Decision on_rate_limit(const StageDefinition& stage, const Attempt& closed);
[[nodiscard]] Decision on_blocked(const Attempt& closed);
[[nodiscard]] Decision on_timeout(const StageDefinition& stage, const Attempt& closed);
[[nodiscard]] Decision on_skip(const Attempt& closed);
[[nodiscard]] Decision on_review_request(const Attempt& closed);
[[nodiscard]] Decision on_expansion(const Attempt& closed);
[[nodiscard]] Decision on_cancel(const Attempt& closed);
[[nodiscard]] Decision on_interruption(const StageDefinition& stage, const Attempt& closed);

}  // namespace pawl::observed
