#include "views/results.hpp"

#include "pawl/codec/names.hpp"
#include "pawl/core/shown.hpp"
#include "pawl/store/each_row.hpp"
#include "pawl/store/results.hpp"
#include "views/address.hpp"
#include "views/outputs.hpp"

namespace pawl::views {
namespace {

constexpr std::uint32_t page_size = 500;

}  // namespace

Result<ShownResult> result_of(Records& records, const Job& job, const Workflow& workflow,
                              const Item& item, const std::optional<StageIndex>& only) {
  Result<std::vector<StageOutput>> outputs = records.outputs(item.id);
  if (!outputs) return std::unexpected(std::move(outputs.error()));
  ShownResult one{
      .item = item.key, .state = name_of(shown_state(item, job.cancelled)), .outputs = {}};
  for (StageOutput& output : *outputs) {
    if (only && output.stage != *only) continue;
    Result<Json> whole = whole_output(records, std::move(output.output));
    if (!whole) return std::unexpected(std::move(whole.error()));
    const std::string& name = workflow.stage(output.stage).name;
    one.outputs.emplace_back(name, std::move(*whole));
    if (!output.artifacts.empty()) one.artifacts[name] = std::move(output.artifacts);
  }
  return one;
}

Result<std::optional<ShownResult>> job_wide_result(Records& records, const Job& job,
                                                   const Workflow& workflow,
                                                   const std::optional<StageIndex>& only) {
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
  if (whole_job.outputs.empty()) return std::optional<ShownResult>();
  return std::optional<ShownResult>(std::move(whole_job));
}

Status each_result(Records& records, const Job& job, const Workflow& workflow,
                   const std::optional<StageIndex>& only,
                   const std::function<Status(const ShownResult&)>& visit) {
  const bool wants_items = !only || workflow.stage(*only).scope == Scope::item;
  if (wants_items) {
    const ItemFilter items{.job = job.id, .category = {}, .limit = page_size};
    const Status read = each_row(records, items, [&](const Item& item) -> Status {
      const Result<ShownResult> result = result_of(records, job, workflow, item, only);
      if (!result) return std::unexpected(result.error());
      return visit(*result);
    });
    if (!read) return read;
  }
  const Result<std::optional<ShownResult>> whole_job =
      job_wide_result(records, job, workflow, only);
  if (!whole_job) return std::unexpected(whole_job.error());
  return *whole_job ? visit(**whole_job) : Status{};
}

namespace {

Json document_of(const Job& job, const Workflow& workflow, const ShownResult& result,
                 const Json& outputs) {
  Json document = Json::object({{"item", result.item ? Json(*result.item) : Json()},
                                {"job", job.id.value()},
                                {"state", result.state},
                                {"outputs", outputs}});
  if (!result.item) return document;
  return with_member(document, "id", address_of(job.id, workflow, *result.item));
}

}  // namespace

Json result_document(const Job& job, const Workflow& workflow, const ShownResult& result) {
  return document_of(job, workflow, result, Json::object(result.outputs));
}

Json result_document(Records& records, const Job& job, const Workflow& workflow,
                     const ShownResult& result) {
  std::vector<std::pair<std::string, Json>> outputs = result.outputs;
  for (auto& [stage, output] : outputs) output = with_paths(records, output);
  return document_of(job, workflow, result, Json::object(outputs));
}

}  // namespace pawl::views
