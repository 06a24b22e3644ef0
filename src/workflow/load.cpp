#include <utility>

#include "pawl/codec/workflow.hpp"
#include "pawl/workflow/file.hpp"
#include "workflow/check_expectations.hpp"
#include "workflow/check_flow.hpp"
#include "workflow/check_references.hpp"
#include "workflow/read_file.hpp"
#include "workflow/yaml.hpp"

namespace pawl {

using namespace workflow;

namespace {

WorkflowDefinition definition_of(FileDraft& file) {
  WorkflowDefinition definition{.name = file.name};
  for (StageDraft& stage : file.stages) {
    if (!stage.is_human()) stage.definition.handler = command_handler;
    stage.definition.params = describe(stage.action);
    definition.stages.push_back(std::move(stage.definition));
  }
  return definition;
}

}  // namespace

std::expected<WorkflowFile, std::vector<Diagnostic>> load_workflow_file(
    std::string_view text, const LoadOptions& options) {
  const auto root = parse_yaml(text, options.name);
  if (!root) return std::unexpected(root.error());

  Faults faults(options.name);
  FileDraft file = read_file(faults, *root, options.project);
  settle_needs(faults, file);
  check_flow(faults, file);
  check_references(faults, file);
  check_expectations(faults, file);
  if (faults.has_errors()) return std::unexpected(faults.errors());

  auto workflow = compile(definition_of(file));
  if (!workflow) {
    for (const Error& error : workflow.error()) {
      faults.add("E055", file.stages_place, error.message, error.help);
    }
    return std::unexpected(faults.errors());
  }
  return WorkflowFile{.workflow = *std::move(workflow),
                      .description = std::move(file.description),
                      .params = std::move(file.params),
                      .items = std::move(file.items),
                      .budget = file.budget,
                      .tolerate_failures = file.tolerate_failures,
                      .parallel = file.parallel,
                      .warnings = faults.warnings()};
}

}  // namespace pawl
