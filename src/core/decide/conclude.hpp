#pragma once

/// The few endings that all observations come to.

#include "pawl/core/decide.hpp"

namespace pawl::observed {

/// The counts after an attempt that was neither a hinted rate limit nor an interruption: both
/// rows are broken.
[[nodiscard]] Counts counts_after(const Attempt& closed);

/// An attempt that uses no count does not bring the job's cap on attempts nearer either.
void give_back(Counts& counts);

/// Whether the epoch is used up: a cap of the policy, or the job's cap on attempts of every kind.
[[nodiscard]] bool is_exhausted(const RetryPolicy& policy, const Counts& counts,
                                const std::optional<std::uint32_t>& attempts_cap);

/// Tried again after `delay`. Asks for new work where `new_round` says so.
[[nodiscard]] Decision try_again(const Attempt& closed, const Counts& counts, Duration delay,
                                 Cause cause, Rule rule, bool new_round);

/// The attempt counted as a failure: tried again after the backoff, or given up.
[[nodiscard]] Decision retry_or_give_up(const StageDefinition& stage, const Attempt& closed,
                                        Cause cause);

/// Nothing is left to try: the exhausted cells say whether a person decides.
[[nodiscard]] Decision give_up(const StageDefinition& stage, const Counts& counts);
[[nodiscard]] Decision give_up(const StageDefinition& stage, const Counts& counts, FailCause cause,
                               Rule rule);

/// Good work: the accepted cells say whether a person decides all the same.
[[nodiscard]] Decision accept(const StageDefinition& stage, const Counts& counts, Rule rule);

/// The error asks for new work rather than another try of the same.
[[nodiscard]] bool wants_new_work(const Attempt& closed);

}  // namespace pawl::observed
