#include "views/jobs.hpp"

#include <optional>
#include <vector>

#include "pawl/codec/json.hpp"

namespace pawl::views {

std::int64_t tasks_in(const Job& job, StateKind state) {
  std::int64_t sum = 0;
  for (const StateCounts& counts : job.stages) sum += counts[state];
  for (const StateCounts& counts : job.children) sum += counts[state];
  return sum;
}

StateCounts counts_of_stage(const Job& job, const Workflow& workflow, StageIndex stage) {
  StateCounts shown = shown_counts(job, workflow, stage);
  const StateCounts& children = job.children[at(stage)];
  shown[StateKind::failed] += children[StateKind::failed];
  if (!job.cancelled) shown[StateKind::awaiting_review] += children[StateKind::awaiting_review];
  return shown;
}

bool stands_still(const Job& job) {
  return job.has_ended() || state_of(job) == JobState::paused || waits_for_people(job);
}

std::string label(const Job& job, std::string_view name) {
  return JsonView(job.labels)[name].string().value_or("");
}

Json commands_document(const Job& job, const Workflow& workflow) {
  std::vector<Json> stages;
  for (const StageIndex index : workflow.topological_order()) {
    const StageDefinition& stage = workflow.stage(index);
    stages.push_back(Json::object(
        {{"stage", stage.name}, {"handler", stage.handler}, {"action", stage.params}}));
  }
  return Json::object({{"project", label(job, "project")},
                       {"params", job.params},
                       {"items", field(job.labels, "items").json().value_or(Json{})},
                       {"stages", Json::array(stages)}});
}

}  // namespace pawl::views
