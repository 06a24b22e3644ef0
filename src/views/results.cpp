#include "views/results.hpp"

#include "pawl/codec/names.hpp"
#include "pawl/core/shown.hpp"
#include "pawl/store/results.hpp"
#include "views/address.hpp"
#include "views/outputs.hpp"

namespace pawl::views {

Status each_result(Records& records, const Job& job, const Workflow& workflow,
                   const std::optional<StageIndex>& only,
                   const std::function<Status(const ShownResult&)>& visit) {
  Status stopped;
  const bool wants_items = !only || workflow.stage(*only).scope == Scope::item;
  const auto see = [&](const SettledItem& settled) {
    ShownResult one{.item = settled.item.key,
                    .state = name_of(shown_state(settled.item, job.cancelled)),
                    .outputs = {}};
    for (const StageOutput& output : settled.outputs) {
      if (only && output.stage != *only) continue;
      const std::string& name = workflow.stage(output.stage).name;
      one.outputs.emplace_back(name, output.output);
      if (!output.artifacts.empty()) one.artifacts[name] = output.artifacts;
    }
    stopped = visit(one);
    return stopped.has_value();
  };
  if (wants_items) {
    if (const Status read = for_each_result(records, job.id, see); !read) return read;
    if (!stopped) return stopped;
  }
  ShownResult whole_job{.item = std::nullopt, .state = name_of(state_of(job)), .outputs = {}};
  for (const StageIndex stage : workflow.all_scope_stages()) {
    if (only && stage != *only) continue;
    const Result<StageOutput> output = records.output(task_id(job.reduce_ordinal, stage));
    if (!output && output.error().code == ErrorCode::not_found) continue;
    if (!output) return std::unexpected(output.error());
    Result<Json> whole = whole_output(records, output->output);
    if (!whole) return std::unexpected(whole.error());
    const std::string& name = workflow.stage(stage).name;
    whole_job.outputs.emplace_back(name, std::move(*whole));
    if (!output->artifacts.empty()) whole_job.artifacts[name] = output->artifacts;
  }
  return whole_job.outputs.empty() ? Status{} : visit(whole_job);
}

Json result_document(Records& records, const Job& job, const Workflow& workflow,
                     const ShownResult& result) {
  std::vector<std::pair<std::string, Json>> outputs = result.outputs;
  for (auto& [stage, output] : outputs) output = with_paths(records, output);
  Json document = Json::object({{"item", result.item ? Json(*result.item) : Json()},
                                {"job", job.id.value()},
                                {"state", result.state},
                                {"outputs", Json::object(outputs)}});
  if (!result.item) return document;
  return with_member(document, "id", address_of(job.id, workflow, *result.item));
}

}  // namespace pawl::views
