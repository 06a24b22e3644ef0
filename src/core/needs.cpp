#include "pawl/core/needs.hpp"

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

}  // namespace pawl
