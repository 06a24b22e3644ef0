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

Judgement accepted(Feedback findings) {
  return {.verdict = Verdict::accepted, .feedback = std::move(findings), .reason = {}, .usage = {}};
}
Judgement rejected(Feedback feedback) {
  return {.verdict = Verdict::rejected, .feedback = std::move(feedback), .reason = {}, .usage = {}};
}
Judgement uncertain(std::string reason, Feedback findings) {
  return {.verdict = Verdict::uncertain,
          .feedback = std::move(findings),
          .reason = std::move(reason),
          .usage = {}};
}

Assessment assessment_of(std::string gate, Judgement judgement) {
  Feedback& found = judgement.feedback;
  const bool says_reason = judgement.verdict == Verdict::uncertain && !judgement.reason.empty();
  Assessment made{.gate = std::move(gate),
                  .verdict = judgement.verdict,
                  .summary = std::move(says_reason ? judgement.reason : found.summary),
                  .criteria = {},
                  .parts = std::move(judgement.parts)};
  // The criteria of a composed gate are those of its parts.
  if (made.parts.empty()) made.criteria = std::move(found.criteria);
  return made;
}

std::uint32_t GateContext::remaining_attempts() const {
  return attempt >= max_attempts ? 0 : max_attempts - attempt;
}

}  // namespace pawl
