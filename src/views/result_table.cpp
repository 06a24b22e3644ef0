#include "views/result_table.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/json.hpp"
#include "pawl/workflow/action.hpp"
#include "views/outputs.hpp"

namespace pawl::views {
namespace {

std::vector<std::string> declared_fields(const StageDefinition& stage) {
  if (stage.handler != command_handler) return {};
  const Result<ActionSpec> action = action_from(stage.params);
  std::vector<std::string> names;
  if (!action) return names;
  for (const OutField& field : action->out) names.push_back(field.name);
  return names;
}

std::string text_of(const Json& value) {
  return value.is_null() ? std::string() : JsonView(value).string().value_or(value.text());
}

Json member_of(const Json& object, const std::string& name) {
  if (!is_object(object)) return {};
  for (auto& [key, value] : members(object)) {
    if (key == name) return value;
  }
  return {};
}

}  // namespace

ResultTable::ResultTable(const Workflow& workflow, const std::optional<StageIndex>& only) {
  for (const StageIndex index : workflow.topological_order()) {
    if (only && index != *only) continue;
    const StageDefinition& stage = workflow.stage(index);
    const std::vector<std::string> fields = declared_fields(stage);
    for (const std::string& field : fields) columns_.push_back({stage.name, field});
    if (fields.empty()) columns_.push_back({stage.name, {}});
  }
}

std::vector<std::string> ResultTable::headings() const {
  std::vector<std::string> all{"item", "state"};
  for (const Column& column : columns_) {
    all.push_back(column.field.empty() ? column.stage : column.stage + "." + column.field);
  }
  return all;
}

std::vector<std::string> ResultTable::cells(const ShownResult& result) const {
  return cells(result, [](const Json& value) { return value; });
}

std::vector<std::string> ResultTable::cells(Records& records, const ShownResult& result) const {
  return cells(result, [&](const Json& value) { return with_paths(records, value); });
}

std::vector<std::string> ResultTable::cells(const ShownResult& result, const Shown& shown) const {
  std::vector<std::string> all{result.item.value_or(""), std::string(result.state)};
  for (const Column& column : columns_) {
    const auto output =
        std::ranges::find(result.outputs, column.stage, &std::pair<std::string, Json>::first);
    if (output == result.outputs.end()) {
      all.emplace_back();
    } else if (column.field.empty()) {
      all.push_back(text_of(shown(output->second)));
    } else {
      all.push_back(text_of(shown(member_of(output->second, column.field))));
    }
  }
  return all;
}

}  // namespace pawl::views
