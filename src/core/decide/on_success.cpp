#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

Decision on_success(const StageDefinition& stage, const Attempt& closed) {
  Decision decision =
      accept(stage, counts_after(closed),
             closed.verdict ? Rule::accepted_by_gate : Rule::succeeded_without_gate);
  if (decision.kind == DecisionKind::review) decision.rule = Rule::review_always;
  return decision;
}

}  // namespace pawl::observed
