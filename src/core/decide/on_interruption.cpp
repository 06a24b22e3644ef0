#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// An interruption is not the item's fault, so it uses no retry. But an item that kills its worker
/// again and again is given up. A graceful stop, or an attempt that never ran, is not evidence
/// against the item.
Decision on_interruption(const StageDefinition& stage, const Attempt& closed) {
  Counts counts = counts_after(closed);
  counts.interruptions = closed.counts_before.interruptions;
  counts.rate_limit_waits =
      closed.counts_before.rate_limit_waits;  // an interruption does not end the series
  give_back(counts);
  if (!closed.graceful && closed.ran) {
    ++counts.interruptions;
    const std::uint32_t most = stage.retry.max_interruptions;
    if (most != 0 && counts.interruptions >= most) {
      return give_up(stage, counts, FailCause::interruptions, Rule::interruptions_exhausted);
    }
  }
  const Rule rule = closed.graceful ? Rule::handed_back : Rule::interrupted_again;
  return try_again(closed, counts, Duration::zero(), Cause::interrupted, rule, false);
}

}  // namespace pawl::observed
