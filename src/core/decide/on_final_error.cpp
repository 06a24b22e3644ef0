#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// Never escalated and never tried again.
Decision on_final_error(const Attempt& closed) {
  return {.kind = DecisionKind::fail,
          .rule = Rule::final_error,
          .fail_cause = FailCause::final_error,
          .counts = counts_after(closed)};
}

}  // namespace pawl::observed
