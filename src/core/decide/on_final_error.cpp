#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// A final error is never escalated and never retried.
Decision on_final_error(const Attempt& closed) {
  return {.kind = DecisionKind::fail,
          .rule = Rule::final_error,
          .fail_cause = FailCause::final_error,
          .counts = counts_after(closed)};
}

}  // namespace pawl::observed
