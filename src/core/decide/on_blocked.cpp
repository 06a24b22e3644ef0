#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

Decision on_blocked(const Attempt& closed) {
  return {.kind = DecisionKind::review,
          .rule = Rule::stage_blocked,
          .review_reason = ReviewReason::blocked,
          .counts = counts_after(closed)};
}

}  // namespace pawl::observed
