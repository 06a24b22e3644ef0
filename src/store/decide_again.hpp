#pragma once

/// Putting a recorded attempt to the policy once more.

#include <cstdint>
#include <span>

#include "pawl/core/decide.hpp"

namespace pawl::store {

/// What `stage` decides of the attempt today, by its decider where one is given. A delay is drawn
/// by the task's id, which was another one in the stores the job came from, `shifts` away: what any
/// of them decided as it is recorded is the recorded decision.
[[nodiscard]] Decision decide_again(const StageDefinition& stage, const Attempt& recorded,
                                    const Decider& decider, std::span<const std::int64_t> shifts);

}  // namespace pawl::store
