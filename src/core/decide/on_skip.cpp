#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// The stage chose to skip: no gate is asked, and no reviewer.
Decision on_skip(const Attempt& closed) {
  return {.kind = DecisionKind::skip, .rule = Rule::stage_skipped, .counts = counts_after(closed)};
}

}  // namespace pawl::observed
