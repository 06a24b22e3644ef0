#include <string>
#include <utility>

#include "core/ending.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/step.hpp"

namespace pawl {
namespace {

/// Without a tolerance, no failure is tolerated. The number of children is final from the start.
bool is_breached(const Tolerance& tolerance, const Expanded& counts) {
  if (!tolerance.is_set()) return counts.failed > 0;
  return tolerance.is_exceeded(counts.failed, counts.children, true);
}

}  // namespace

Step children_ended(const StageDefinition& stage, const Task& parent, const Expanded& counts,
                    Timestamp) {
  require(parent.kind() == StateKind::expanded, "only an Expanded task has children");
  Step step = step_from(parent);
  if (is_breached(stage.tolerate_failures, counts)) {
    fail(step, stage, FailCause::tolerance,
         std::to_string(counts.failed) + " of " + std::to_string(counts.children) +
             " children failed");
    return step;
  }
  require(counts.open == 0, "a tolerated expansion ends only when no child is open");
  if (is_joined(stage)) {
    step.next.state = Ready{};
    step.next.cause = Cause::join;
  } else {
    succeed(step, {.attempt = parent.attempts, .edited_by = {}});
  }
  return step;
}

}  // namespace pawl
