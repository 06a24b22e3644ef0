#pragma once

/// The few decisions that all observations lead to.

#include "pawl/core/decide.hpp"

namespace pawl::observed {

/// The counts after an attempt that was neither a rate limit with a hint nor an interruption: it
/// ends both series.
[[nodiscard]] Counts counts_after(const Attempt& closed);

/// Undoes the count of the attempt, so that an attempt that uses no retry does not use the job's
/// cap on attempts either.
void give_back(Counts& counts);

/// Whether the epoch has reached a cap of the policy, or the job's cap on attempts of every kind.
[[nodiscard]] bool is_exhausted(const RetryPolicy& policy, const Counts& counts,
                                const std::optional<std::uint32_t>& attempts_cap);

/// Retries after `delay`. `new_round` asks for new work.
[[nodiscard]] Decision try_again(const Attempt& closed, const Counts& counts, Duration delay,
                                 Cause cause, Rule rule, bool new_round);

/// Counts the attempt as a failure: retries after the backoff or the hint of the error, whichever
/// is longer, or gives up. A hint longer than `max_retry_after` gives up too.
[[nodiscard]] Decision retry_or_give_up(const StageDefinition& stage, const Attempt& closed,
                                        Cause cause);

/// No retry is left: the `exhausted` cells decide whether a reviewer is asked.
[[nodiscard]] Decision give_up(const StageDefinition& stage, const Counts& counts);
[[nodiscard]] Decision give_up(const StageDefinition& stage, const Counts& counts, FailCause cause,
                               Rule rule);

/// The work is good: the `accepted` cells decide whether a reviewer is asked anyway.
[[nodiscard]] Decision accept(const StageDefinition& stage, const Counts& counts, Rule rule);

/// Whether the error asks for new work instead of another try of the same work.
[[nodiscard]] bool wants_new_work(const Attempt& closed);

}  // namespace pawl::observed
