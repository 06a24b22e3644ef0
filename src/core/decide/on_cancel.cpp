#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// The result of the attempt is recorded, but not applied. A rerun of the stage, or of an upstream
/// stage, cancels only the attempt: the task continues in a new epoch (see rerun.cpp).
Decision on_cancel(const Attempt& closed) {
  const CancelCause cause = closed.cancelled_by.value_or(CancelCause::requested);
  return {.kind = DecisionKind::cancel,
          .rule = cause == CancelCause::superseded ? Rule::superseded : Rule::cancelled,
          .cancel_cause = cause,
          .counts = counts_after(closed)};
}

}  // namespace pawl::observed
