#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

Decision on_review_request(const Attempt& closed) {
  return {.kind = DecisionKind::review,
          .rule = Rule::stage_asked_for_review,
          .review_reason = ReviewReason::requested,
          .counts = counts_after(closed)};
}

}  // namespace pawl::observed
