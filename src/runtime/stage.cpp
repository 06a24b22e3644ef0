#include "pawl/runtime/stage.hpp"

#include <utility>

namespace pawl {

StageError retryable(std::string message, std::string code, std::optional<Duration> retry_after) {
  return {.error_class = ErrorClass::retryable,
          .code = std::move(code),
          .message = std::move(message),
          .retry_after = retry_after};
}
StageError final_error(std::string message, std::string code) {
  return {.error_class = ErrorClass::final, .code = std::move(code), .message = std::move(message)};
}
StageError rate_limited(std::string message, std::optional<Duration> retry_after) {
  return {.error_class = ErrorClass::rate_limited,
          .message = std::move(message),
          .retry_after = retry_after};
}
StageError blocked(std::string message, Json needs) {
  return {.error_class = ErrorClass::blocked,
          .message = std::move(message),
          .details = std::move(needs)};
}

Judgement accepted() { return {}; }
Judgement rejected(Feedback feedback) {
  return {.verdict = Verdict::rejected, .feedback = std::move(feedback), .reason = {}, .usage = {}};
}
Judgement uncertain(std::string reason) {
  return {.verdict = Verdict::uncertain, .feedback = {}, .reason = std::move(reason), .usage = {}};
}

std::uint32_t GateContext::remaining_attempts() const {
  return attempt >= max_attempts ? 0 : max_attempts - attempt;
}

}  // namespace pawl
