#pragma once

/// Jobs of loosely described tasks, dispatched by task type to a registry of handlers.
///
///   pawl::HandlerRegistry handlers;
///   handlers.add("http_request", call_it);
///   pawl::submit(engine, {.tasks = {{.type = "http_request", .title = "fetch"}}}, handlers);
///
/// Such a job compiles to a generated workflow with one item and one stage per task; `depends_on`
/// become the needs of the stage. A new program describes a workflow with `WorkflowBuilder`.

#include <expected>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pawl/core/job.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/runtime/program.hpp"

namespace pawl {

struct TaskSpec {
  std::string type;   ///< the handler's dispatch key; empty: "type" of the hints
  std::string title;  ///< may be empty, and need not be unique
  std::string intent;
  Json goal;
  Json constraints;
  Json hints;
  std::vector<std::string> depends_on;  ///< titles; one that several tasks share means all of them
};
/// The type of a task, from the spec or from its hints; empty if neither says it.
[[nodiscard]] std::string type_of(const TaskSpec& task);
/// The stage of each task: its title, or TYPE-POSITION without one. Of equal names the second gets
/// "#2", the third "#3". `depends_on` may use these names too.
[[nodiscard]] std::vector<std::string> stage_names(const std::vector<TaskSpec>& tasks);

/// 5 attempts per task, stuck after 50 decisions without an ended task.
[[nodiscard]] Budget default_task_budget();

struct TaskJob {
  std::string name = "tasks";
  std::vector<TaskSpec> tasks;
  Budget budget;        ///< what it leaves open is taken from `default_task_budget`
  std::string decider;  ///< a name in the registry; empty: the default
};

class HandlerRegistry {
 public:
  HandlerRegistry& add(const std::string& type, StageFunction work);
  HandlerRegistry& add_decider(const std::string& name, Decider decider);
  [[nodiscard]] const std::map<std::string, StageFunction>& handlers() const { return handlers_; }
  [[nodiscard]] const std::map<std::string, Decider>& deciders() const { return deciders_; }

 private:
  std::map<std::string, StageFunction> handlers_;
  std::map<std::string, Decider> deciders_;
};

/// Every handler of the registry, alone and with each decider, by the name a stage gives.
[[nodiscard]] Handlers handlers_of(const HandlerRegistry& registry);

/// The generated workflow with its code, or every fault at once: a type without a handler, an
/// unknown or circular dependency.
[[nodiscard]] std::expected<Program, std::vector<Error>> compile(const TaskJob& job,
                                                                 const HandlerRegistry& registry);

/// Brings the code of the handlers to an engine that runs jobs of tasks and submits none.
void serve(Engine& engine, const HandlerRegistry& registry);

/// Serves the handlers and submits the job with one item, named after the job. The budget is that
/// of the job. `invalid` reports every fault that `compile` finds.
[[nodiscard]] Result<JobId> submit(Engine& engine, const TaskJob& job,
                                   const HandlerRegistry& registry, const JobOptions& options = {});

/// What a handler of a task job finds in `context.stage_params()`.
[[nodiscard]] Json params_of(const TaskSpec& task);

}  // namespace pawl
