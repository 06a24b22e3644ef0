#include "core/decide/conclude.hpp"
#include "core/decide/observations.hpp"

namespace pawl::observed {

/// Retryable, whatever the class of the error: all that is known is that it took too long.
Decision on_timeout(const StageDefinition& stage, const Attempt& closed) {
  return retry_or_give_up(stage, closed, Cause::error_retry);
}

}  // namespace pawl::observed
