#include "core/decide/cells.hpp"
#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// A reviewer decides, whatever the policy and the budget: no machine knows better than
/// "uncertain".
Decision on_uncertain(const StageDefinition& stage, const Attempt& closed) {
  const Cell& cell = cell_for(Ending::uncertain, stage.retry.on_exhausted, stage.review);
  return {.kind = cell.kind,
          .rule = Rule::gate_uncertain,
          .review_reason = cell.reason,
          .counts = counts_after(closed)};
}

}  // namespace pawl::observed
