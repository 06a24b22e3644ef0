#include "pawl/testing/replay.hpp"

#include <algorithm>

#include "testing/backstage.hpp"

namespace pawl::testing {

Replay replay(Records& records, JobId job, const Program& today) {
  const auto decider = [&](std::string_view name) -> Decider {
    const auto& stages = today.workflow().definition().stages;
    const auto stage = std::ranges::find(stages, name, &StageDefinition::decider);
    if (stage == stages.end()) return nullptr;
    const std::string handler =
        stage->is_human() ? today.workflow().name() + "." + stage->name : stage->handler;
    const auto code = today.handlers().find(handler);
    return code == today.handlers().end() ? nullptr : code->second->decider;
  };
  return must(pawl::replay(records, job, today.workflow(), {.decider = decider}));
}

Replay replay(Records& records, JobId job, const WorkflowFile& today) {
  return must(pawl::replay(records, job, today.workflow));
}

}  // namespace pawl::testing
