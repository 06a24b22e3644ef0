#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// With a hint, the wait is what the service asked for and uses no retry, within the limits on
/// waits in a row and on the length of a wait. Without a hint, it is a failure like any other.
Decision on_rate_limit(const StageDefinition& stage, const Attempt& closed) {
  if (!closed.error || !closed.error->retry_after) {
    return retry_or_give_up(stage, closed, Cause::rate_limited);
  }
  Counts counts = counts_after(closed);
  counts.rate_limit_waits = closed.counts_before.rate_limit_waits + 1;
  give_back(counts);
  const Duration wait = *closed.error->retry_after;
  if (counts.rate_limit_waits > stage.retry.max_rate_limit_waits ||
      wait > stage.retry.max_retry_after) {
    return give_up(stage, counts, FailCause::rate_limit, Rule::rate_limit_waits_exhausted);
  }
  return try_again(closed, counts, wait, Cause::rate_limited, Rule::rate_limit_hint, false);
}

}  // namespace pawl::observed
