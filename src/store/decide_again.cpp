#include "store/decide_again.hpp"

#include <algorithm>

namespace pawl::store {

namespace {

/// Older versions respected only the hint of a rate limit. Their decisions stand.
bool ignored_a_hint(const Attempt& recorded) {
  return recorded.decision.rule == Rule::retry_after_failure && recorded.error &&
         recorded.error->retry_after;
}

}  // namespace

Decision decide_again(const StageDefinition& stage, const Attempt& recorded, const Decider& decider,
                      std::span<const std::int64_t> shifts) {
  Attempt undecided = recorded;
  undecided.decision = {};
  const auto decided = [&] {
    return decider ? decide_as_advised(stage, undecided, decider(stage, undecided))
                   : decide(stage, undecided);
  };
  Decision here = decided();
  if (here == recorded.decision) return here;
  if (ignored_a_hint(recorded)) {
    undecided.error->retry_after.reset();
    if (decided() == recorded.decision) return recorded.decision;
  }
  const bool was_decided_elsewhere = std::ranges::any_of(shifts, [&](std::int64_t shift) {
    undecided.task = task_id(ordinal_of(recorded.task) - shift, stage_of(recorded.task));
    return decided() == recorded.decision;
  });
  return was_decided_elsewhere ? recorded.decision : here;
}

}  // namespace pawl::store
