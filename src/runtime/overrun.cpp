#include "runtime/overrun.hpp"

#include <chrono>
#include <string>

#include "pawl/core/decide.hpp"

namespace pawl::runtime {

StageError overrun(const StageDefinition& stage, const GateRef* gate) {
  const Duration limit = gate != nullptr ? stage.timeout_of(*gate) : stage.retry.attempt_timeout;
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
  const std::string after = " timed out after " + std::to_string(ms) + "ms";
  if (gate == nullptr) {
    return {.error_class = ErrorClass::retryable,
            .kind = ErrorKind::timeout,
            .code = "stage_timeout",
            .message = "attempt" + after};
  }
  return {.error_class = ErrorClass::retryable,
          .kind = ErrorKind::timeout,
          .code = "gate_timeout",
          .message = "gate '" + gate->name + "'" + after,
          .details = details_of_overrun(*gate)};
}

}  // namespace pawl::runtime
