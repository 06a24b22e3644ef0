#include "pawl/compat/task_spec.hpp"

#include <utility>

#include "pawl/codec/workflow.hpp"

namespace pawl {

Budget default_task_budget() { return {.max_attempts_per_task = 5, .no_progress_decisions = 50}; }

HandlerRegistry& HandlerRegistry::add(const std::string& type, StageFunction work) {
  handlers_[type] = std::move(work);
  return *this;
}

HandlerRegistry& HandlerRegistry::add_decider(const std::string& name, Decider decider) {
  deciders_[name] = std::move(decider);
  return *this;
}

Json params_of(const TaskSpec& task) {
  return Json::object({{"type", task.type},
                       {"title", task.title},
                       {"intent", task.intent},
                       {"goal", task.goal},
                       {"constraints", task.constraints},
                       {"hints", task.hints}});
}

namespace {

/// The same handler under another decider is another behaviour, so it has another name.
std::string handler_name(const std::string& type, const std::string& decider) {
  return decider.empty() ? type : type + "@" + decider;
}

}  // namespace

Handlers handlers_of(const HandlerRegistry& registry) {
  Handlers handlers;
  for (const auto& [type, work] : registry.handlers()) {
    handlers.emplace(type, std::make_shared<const StageCode>(StageCode{.work = work}));
    for (const auto& [name, decider] : registry.deciders()) {
      handlers.emplace(handler_name(type, name), std::make_shared<const StageCode>(
                                                     StageCode{.work = work, .decider = decider}));
    }
  }
  return handlers;
}

std::expected<Program, std::vector<Error>> compile(const TaskJob& job,
                                                   const HandlerRegistry& registry) {
  std::vector<Error> faults;
  const auto fault = [&](std::string message, std::string help = {}) {
    faults.push_back({ErrorCode::invalid, std::move(message), std::move(help)});
  };
  std::vector<std::string> types;
  for (const auto& [type, work] : registry.handlers()) types.push_back(type);
  std::vector<std::string> deciders;
  for (const auto& [name, decider] : registry.deciders()) deciders.push_back(name);
  const auto suggestion = [](const std::string& name, const std::vector<std::string>& known) {
    const std::string near = nearest_name(name, known);
    return near.empty() ? std::string{} : "did you mean '" + near + "'?";
  };

  if (!job.decider.empty() && !registry.deciders().contains(job.decider)) {
    fault("no decider '" + job.decider + "' is registered", suggestion(job.decider, deciders));
  }
  WorkflowDefinition definition{.name = job.name, .stages = {}};
  for (const TaskSpec& task : job.tasks) {
    const auto handler = registry.handlers().find(task.type);
    if (handler == registry.handlers().end()) {
      fault("no handler for task type '" + task.type + "' of task '" + task.title + "'",
            suggestion(task.type, types));
      continue;
    }
    StageDefinition stage{.name = task.title,
                          .needs = task.depends_on,
                          .handler = handler_name(task.type, job.decider)};
    stage.retry = RetryPolicy::task();
    if (job.budget.max_attempts_per_task)
      stage.retry.max_attempts = *job.budget.max_attempts_per_task;
    stage.params = params_of(task);
    stage.decider = job.decider;
    definition.stages.push_back(std::move(stage));
  }
  if (job.tasks.empty()) fault("a job of tasks needs at least one task");
  if (!faults.empty()) return std::unexpected(std::move(faults));
  auto workflow = compile(std::move(definition));
  if (!workflow) return std::unexpected(workflow.error());
  return Program(std::move(*workflow), handlers_of(registry));
}

void serve(Engine& engine, const HandlerRegistry& registry) { engine.serve(handlers_of(registry)); }

Result<JobId> submit(Engine& engine, const TaskJob& job, const HandlerRegistry& registry,
                     const JobOptions& options) {
  const auto program = compile(job, registry);
  if (!program) return fail(ErrorCode::invalid, text_of(program.error()));
  engine.serve(*program);
  JobOptions with_budget = options;
  with_budget.budget = job.budget;
  return engine.submit(program->workflow(), {NewItem{.key = job.name}}, with_budget);
}

}  // namespace pawl
