#include "pawl/core/needs.hpp"

#include <vector>

namespace pawl {

bool satisfies(OnFailure on_failure, const TaskState& state) {
  switch (kind_of(state)) {
    case StateKind::succeeded:
      return true;
    case StateKind::skipped:
      return std::get<Skipped>(state).reason == SkipReason::by_choice;
    case StateKind::failed:
      return on_failure == OnFailure::proceed;
    case StateKind::waiting:
    case StateKind::ready:
    case StateKind::running:
    case StateKind::retry_scheduled:
    case StateKind::awaiting_review:
    case StateKind::expanded:
    case StateKind::cancelled:
      return false;
  }
  return false;
}

bool is_upstream(const Workflow& workflow, StageIndex other, StageIndex stage) {
  std::vector<bool> seen(workflow.stage_count(), false);
  std::vector<StageIndex> open = workflow.plan(stage).needs;
  while (!open.empty()) {
    const StageIndex one = open.back();
    open.pop_back();
    if (one == other) return true;
    if (seen[at(one)]) continue;
    seen[at(one)] = true;
    const std::vector<StageIndex>& needs = workflow.plan(one).needs;
    open.insert(open.end(), needs.begin(), needs.end());
  }
  return false;
}

}  // namespace pawl
