#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// A retryable error; gate errors are included.
Decision on_failure(const StageDefinition& stage, const Attempt& closed) {
  return retry_or_give_up(stage, closed, Cause::error_retry);
}

}  // namespace pawl::observed
