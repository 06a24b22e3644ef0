#include "pawl/core/decide.hpp"

#include "core/decide/observations.hpp"

namespace pawl {
namespace {

Decision after_success(const StageDefinition& stage, const Attempt& closed) {
  if (!closed.verdict) return observed::on_success(stage, closed);
  switch (*closed.verdict) {
    case Verdict::accepted:
      return observed::on_success(stage, closed);
    case Verdict::rejected:
      return observed::on_rejection(stage, closed);
    case Verdict::uncertain:
      return observed::on_uncertain(stage, closed);
  }
  return observed::on_uncertain(stage, closed);
}

Decision after_failure(const StageDefinition& stage, const Attempt& closed) {
  if (!closed.error) return observed::on_failure(stage, closed);
  switch (closed.error->error_class) {
    case ErrorClass::final:
      return observed::on_final_error(closed);
    case ErrorClass::retryable:
      return observed::on_failure(stage, closed);
    case ErrorClass::rate_limited:
      return observed::on_rate_limit(stage, closed);
    case ErrorClass::blocked:
      return observed::on_blocked(closed);
  }
  return observed::on_failure(stage, closed);
}

}  // namespace

Decision decide(const StageDefinition& stage, const Attempt& closed) {
  if (closed.cancelled_by) return observed::on_cancel(closed);
  switch (closed.result) {
    case AttemptResult::success:
      return after_success(stage, closed);
    case AttemptResult::failure:
      return after_failure(stage, closed);
    case AttemptResult::timed_out:
      return observed::on_timeout(stage, closed);
    case AttemptResult::blocked:
      return observed::on_blocked(closed);
    case AttemptResult::skipped:
      return observed::on_skip(closed);
    case AttemptResult::needs_review:
      return observed::on_review_request(closed);
    case AttemptResult::expanded:
      return observed::on_expansion(closed);
    case AttemptResult::cancelled:
      return observed::on_cancel(closed);
    case AttemptResult::interrupted:
      return observed::on_interruption(stage, closed);
  }
  return observed::on_interruption(stage, closed);
}

}  // namespace pawl
