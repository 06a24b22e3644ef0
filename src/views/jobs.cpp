#include "views/jobs.hpp"

#include <algorithm>
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

std::int64_t items_to_work_on(const Job& job, const Workflow& workflow) {
  using enum StateKind;
  std::int64_t left_to_people = 0;
  std::int64_t busiest = 0;
  for (std::size_t i = 0; i < job.stages.size(); ++i) {
    if (workflow.stage(static_cast<StageIndex>(i)).scope == Scope::all) continue;
    const auto going_on = [](const StateCounts& counts) {
      return counts[ready] + counts[running] + counts[retry_scheduled];
    };
    const StateCounts& tasks = job.stages[i];
    const StateCounts& children = job.children[i];
    // Each child that goes on belongs to a fan-out that can go on; several may belong to the same
    // one.
    const std::int64_t fan_outs = std::max<std::int64_t>(tasks[expanded] - going_on(children), 0);
    left_to_people += tasks[awaiting_review] + std::min(fan_outs, children[awaiting_review]);
    // An item has one task in each stage.
    busiest = std::max(busiest, going_on(tasks) + (going_on(children) > 0 ? 1 : 0));
  }
  return std::max(job.items.active() - left_to_people, busiest);
}

bool is_held_by_paused_stages(const Job& job) {
  using enum StateKind;
  if (job.has_ended() || job.submission_open || job.attempts_open > 0) return false;
  bool is_held = false;
  for (std::size_t i = 0; i < job.stages.size(); ++i) {
    const auto count = [&](StateKind kind) { return job.stages[i][kind] + job.children[i][kind]; };
    if (count(ready) + count(retry_scheduled) == 0) continue;
    if (!job.is_paused(static_cast<StageIndex>(i))) return false;
    is_held = true;
  }
  return is_held;
}

bool stands_still(const Job& job) {
  return job.has_ended() || state_of(job) == JobState::paused || waits_for_people(job) ||
         is_held_by_paused_stages(job);
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
