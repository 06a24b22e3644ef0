#include <set>
#include <tuple>
#include <utility>

#include "pawl/codec/workflow.hpp"
#include "pawl/workflow/file.hpp"
#include "workflow/check_expectations.hpp"
#include "workflow/check_flow.hpp"
#include "workflow/check_references.hpp"
#include "workflow/read_file.hpp"
#include "workflow/task_list.hpp"
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

/// Each place once: a handler serves many tasks.
std::vector<Assignee> assignees_of(const FileDraft& file) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  std::vector<Assignee> assignees;
  for (const StageDraft& stage : file.stages) {
    for (const PlacedText& one : stage.assignees) {
      if (seen.emplace(one.place.line, one.place.column).second) {
        assignees.push_back({one.text, one.place});
      }
    }
  }
  return assignees;
}

/// A fault in a handler is met once for each task that it serves.
std::vector<Diagnostic> first_at_each_place(std::vector<Diagnostic> faults) {
  std::set<std::tuple<std::string, std::uint32_t, std::uint32_t, std::string>> seen;
  std::erase_if(faults, [&](const Diagnostic& one) {
    return !seen.insert({one.code, one.place.line, one.place.column, one.help}).second;
  });
  return faults;
}

/// The limits of a job of tasks, as in `default_task_budget`.
constexpr std::uint32_t task_attempts = 5;
constexpr std::int64_t task_decisions = 50;

}  // namespace

std::expected<WorkflowFile, std::vector<Diagnostic>> load_workflow_file(
    std::string_view text, const LoadOptions& options) {
  auto root = parse_yaml(text, options.name);
  if (!root) return std::unexpected(root.error());

  Faults faults(options.name);
  const bool runs_tasks = has_tasks(*root);
  if (runs_tasks && !expand_tasks(faults, *root, options.project)) {
    return std::unexpected(faults.errors());
  }
  FileDraft file = read_file(faults, *root, options.project);
  resolve_needs(faults, file);
  check_flow(faults, file);
  check_references(faults, file);
  check_expectations(faults, file);
  if (faults.has_errors())
    return std::unexpected(runs_tasks ? first_at_each_place(faults.errors()) : faults.errors());
  if (runs_tasks) {
    file.budget.max_attempts_per_task = task_attempts;
    file.budget.no_progress_decisions = task_decisions;
  }

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
                      .assignees = assignees_of(file),
                      .warnings = faults.warnings()};
}

}  // namespace pawl
