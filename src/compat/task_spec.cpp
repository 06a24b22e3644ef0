#include "pawl/compat/task_spec.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "pawl/codec/json.hpp"
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

std::string type_of(const TaskSpec& task) {
  if (!task.type.empty()) return task.type;
  return field(task.hints, "type").string().value_or("");
}

std::vector<std::string> stage_names(const std::vector<TaskSpec>& tasks) {
  std::set<std::string> taken;
  for (const TaskSpec& task : tasks) taken.insert(task.title);
  std::set<std::string> used;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string base =
        tasks[i].title.empty() ? type_of(tasks[i]) + "-" + std::to_string(i + 1) : tasks[i].title;
    std::string name = base;
    const auto is_taken = [&] {
      return used.contains(name) || (name != tasks[i].title && taken.contains(name));
    };
    for (int twin = 2; is_taken(); ++twin) name = base + "#" + std::to_string(twin);
    used.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

Json params_of(const TaskSpec& task) {
  return Json::object({{"type", type_of(task)},
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

Budget with_defaults(Budget budget) {
  const Budget usual = default_task_budget();
  if (!budget.max_attempts_per_task) budget.max_attempts_per_task = usual.max_attempts_per_task;
  if (!budget.no_progress_decisions) budget.no_progress_decisions = usual.no_progress_decisions;
  return budget;
}

/// The stages that a task depends on. A title stands for every other task that has it; what is
/// neither a title nor a name is left as it is, and reported when the workflow is compiled.
std::vector<std::string> needs_of(const std::vector<TaskSpec>& tasks,
                                  const std::vector<std::string>& names, std::size_t place) {
  std::vector<std::string> needs;
  const auto add = [&](const std::string& name) {
    if (std::ranges::find(needs, name) == needs.end()) needs.push_back(name);
  };
  for (const std::string& wanted : tasks[place].depends_on) {
    bool is_title = false;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (i == place || tasks[i].title != wanted || wanted.empty()) continue;
      is_title = true;
      add(names[i]);
    }
    if (!is_title) add(wanted);
  }
  return needs;
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
  const std::vector<std::string> names = stage_names(job.tasks);
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    const TaskSpec& task = job.tasks[i];
    const std::string type = type_of(task);
    if (type.empty()) {
      fault("task '" + names[i] + "' has no type", "set its type, or \"type\" in its hints");
      continue;
    }
    if (!registry.handlers().contains(type)) {
      fault("no handler for task type '" + type + "' of task '" + names[i] + "'",
            suggestion(type, types));
      continue;
    }
    StageDefinition stage{.name = names[i],
                          .needs = needs_of(job.tasks, names, i),
                          .handler = handler_name(type, job.decider)};
    stage.retry = RetryPolicy::task();
    stage.retry.max_attempts = *with_defaults(job.budget).max_attempts_per_task;
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
  with_budget.budget = with_defaults(job.budget);
  return engine.submit(program->workflow(), {NewItem{.key = job.name}}, with_budget);
}

}  // namespace pawl
