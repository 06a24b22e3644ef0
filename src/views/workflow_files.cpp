#include "views/workflow_files.hpp"

#include <optional>
#include <string>
#include <utility>

#include "pawl/codec/json.hpp"
#include "pawl/codec/names.hpp"
#include "views/document_writer.hpp"
#include "views/graph.hpp"

namespace pawl::views {
namespace {

Json param_document(const ParamSpec& param) {
  return Json::object({{"name", param.name},
                       {"type", name_of(param.type)},
                       {"required", !param.fallback},
                       {"default", param.fallback.value_or(Json())},
                       {"description", name_or_null(param.description)}});
}

/// The word that the record of a job has for it.
Json kind_of(const ItemsSpec& items) {
  const Json described = describe(items);
  return field(described, "kind").json().value_or(Json("one"));
}

Json items_document(const ItemsSpec& items) {
  const bool is_list = items.kind == ItemsSpec::Kind::list;
  const std::vector<Json> command(items.argv.begin(), items.argv.end());
  return Json::object({{"kind", kind_of(items)},
                       {"source", name_or_null(items.source)},
                       {"command", command.empty() ? Json() : Json::array(command)},
                       {"count", is_list ? Json(items.list.size()) : Json()},
                       {"id", name_or_null(items.id)},
                       {"category", name_or_null(items.category)}});
}

Json seconds_or_null(const std::optional<Duration>& duration) {
  return duration ? Json(seconds_of(*duration)) : Json();
}

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json limits_document(const Budget& budget) {
  return Json::object(
      {{"max_total_attempts", value_or_null(budget.max_total_attempts)},
       {"max_attempts_per_task", value_or_null(budget.max_attempts_per_task)},
       {"deadline_s", seconds_or_null(budget.deadline)},
       {"no_progress_s", seconds_or_null(budget.no_progress)},
       {"no_progress_decisions", value_or_null(budget.no_progress_decisions)},
       {"cost_usd", budget.cost_microusd ? Json(dollars_of(*budget.cost_microusd)) : Json()},
       {"tokens", value_or_null(budget.tokens)},
       {"exhausted", name_of(budget.exhausted)}});
}

}  // namespace

Json workflow_file_document(const WorkflowFile& file) {
  std::vector<Json> params;
  for (const ParamSpec& param : file.params) params.push_back(param_document(param));
  std::vector<Json> assignees;
  for (const Assignee& one : file.assignees) assignees.emplace_back(one.name);
  const Json graph = graph_document(file.workflow, nullptr);
  const Json tolerance = Json::object({{"count", value_or_null(file.tolerate_failures.count)},
                                       {"percent", value_or_null(file.tolerate_failures.percent)}});
  return Json::object({{"workflow", file.workflow.name()},
                       {"hash", file.workflow.hash()},
                       {"description", name_or_null(file.description)},
                       {"params", Json::array(params)},
                       {"items", items_document(file.items)},
                       {"budget", limits_document(file.budget)},
                       {"parallel", file.parallel > 0 ? Json(file.parallel) : Json()},
                       {"tolerate_failures", tolerance},
                       {"assignees", Json::array(assignees)},
                       {"stages", field(graph, "stages").json().value_or(Json())}});
}

Json diagnostics_document(const std::vector<Diagnostic>& diagnostics) {
  std::vector<Json> documents;
  for (const Diagnostic& one : diagnostics) documents.push_back(diagnostic_document(one));
  return Json::array(documents);
}

}  // namespace pawl::views
