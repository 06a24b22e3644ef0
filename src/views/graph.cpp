#include "views/graph.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pawl/codec/names.hpp"

namespace pawl::views {
namespace {

std::string_view kind_of_stage(const StageDefinition& stage) {
  return stage.is_human() ? "human" : "work";
}

}  // namespace

Json graph_document(const Workflow& workflow, const Job* job) {
  std::vector<Json> stages;
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    const auto index = static_cast<StageIndex>(i);
    const StageDefinition& stage = workflow.stage(index);
    std::vector<Json> needs;
    for (const std::string& need : stage.needs) needs.emplace_back(need);
    std::vector<std::pair<std::string, Json>> members = {
        {"name", stage.name},
        {"needs", Json::array(needs)},
        {"kind", kind_of_stage(stage)},
        {"scope", name_of(stage.scope)},
        {"review", name_of(stage.review)},
        {"fan_out", stage.joins},
    };
    if (job != nullptr) {
      const StateCounts counts = shown_counts(*job, workflow, index);
      std::vector<std::pair<std::string, Json>> by_state;
      for (std::size_t kind = 0; kind < state_kinds; ++kind) {
        by_state.emplace_back(name_of(static_cast<StateKind>(kind)),
                              counts[static_cast<StateKind>(kind)]);
      }
      members.emplace_back("tasks", Json::object(by_state));
    }
    stages.push_back(Json::object(members));
  }
  return Json::object(
      {{"workflow", workflow.name()}, {"hash", workflow.hash()}, {"stages", Json::array(stages)}});
}

}  // namespace pawl::views
