#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// The gate wants better work: retries with its feedback, at once unless the policy sets a delay.
Decision on_rejection(const StageDefinition& stage, const Attempt& closed) {
  Counts counts = counts_after(closed);
  ++counts.rejections;
  if (is_exhausted(stage.retry, counts, closed.attempts_cap)) return give_up(stage, counts);
  return try_again(closed, counts, stage.retry.refine_delay, Cause::gate_feedback,
                   Rule::refine_after_rejection, wants_new_work(closed));
}

}  // namespace pawl::observed
