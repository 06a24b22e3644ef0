#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// The stage said so: no gate, no review.
Decision on_skip(const Attempt& closed) {
  return {.kind = DecisionKind::skip, .rule = Rule::stage_skipped, .counts = counts_after(closed)};
}

}  // namespace pawl::observed
