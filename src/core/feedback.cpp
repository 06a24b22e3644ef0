#include <algorithm>
#include <string>

#include "pawl/core/decide.hpp"

namespace pawl {
namespace {

std::string in_milliseconds(Duration duration) {
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(duration);
  return std::to_string(whole.count()) + "ms";
}

Feedback after_timeout(const StageDefinition& stage, const Attempt& closed) {
  const bool in_gate = closed.error && closed.error->code == "gate_timeout";
  const auto named = std::ranges::find_if(stage.gates, [&](const GateRef& gate) {
    return in_gate && closed.error->details == details_of_overrun(gate);
  });
  std::string who = "attempt";
  Duration limit = stage.retry.attempt_timeout;
  if (named != stage.gates.end()) {
    who = "gate '" + named->name + "'";
    limit = stage.timeout_of(*named);
  } else if (in_gate && stage.retry.gate_timeout > Duration::zero()) {
    who = "gate";
    limit = stage.retry.gate_timeout;
  }
  // A worker may have stopped the attempt by its own limit; then only the time it took is known.
  if (limit <= Duration::zero()) limit = closed.ended_at - closed.started_at;
  return {.summary = who + " timed out after " + in_milliseconds(limit)};
}

Feedback after_error(const Attempt& closed) {
  if (!closed.error) return {.summary = "Error: failed without a message"};
  const StageError& error = *closed.error;
  if (!error.message.empty()) return {.summary = "Error: " + error.message};
  if (!error.code.empty()) return {.summary = "Error: " + error.code};
  return {.summary = "Error: failed without a message"};
}

}  // namespace

Json details_of_overrun(const GateRef& gate) { return Json::object({{"gate", gate.name}}); }

std::size_t Feedback::failure_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(criteria, [](const Criterion& it) { return !it.passed; }));
}

std::string summary_of(const std::vector<Assessment>& assessments) {
  const auto counts = [](const Assessment& one) { return !one.advisory && !one.summary.empty(); };
  const bool is_one = std::ranges::count_if(assessments, counts) == 1;
  std::string text;
  for (const Assessment& one : assessments) {
    if (!counts(one)) continue;
    if (!text.empty()) text += "; ";
    text += is_one ? one.summary : one.gate + ": " + one.summary;
  }
  return text;
}

bool Attempt::is_failure() const {
  return result == AttemptResult::failure || result == AttemptResult::timed_out ||
         verdict == Verdict::rejected;
}

std::optional<Feedback> synthesised_feedback(const StageDefinition& stage, const Attempt& closed) {
  switch (closed.result) {
    case AttemptResult::timed_out:
      return after_timeout(stage, closed);
    case AttemptResult::failure:
      // A rate limit says nothing about the work.
      if (closed.error && closed.error->error_class == ErrorClass::rate_limited) return {};
      return after_error(closed);
    case AttemptResult::blocked:
      return after_error(closed);
    case AttemptResult::success:
    case AttemptResult::skipped:
    case AttemptResult::needs_review:
    case AttemptResult::expanded:
    case AttemptResult::cancelled:
    case AttemptResult::interrupted:
      return {};
  }
  return {};
}

}  // namespace pawl
