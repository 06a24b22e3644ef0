#include "runtime/code_shelf.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace pawl::runtime {

void CodeShelf::add(const Handlers& handlers) {
  const MutexLock lock(mutex_);
  for (const auto& [name, code] : handlers) handlers_[name] = code;
}

void CodeShelf::add(CodeSource source) {
  const MutexLock lock(mutex_);
  sources_.push_back(std::move(source));
  made_code_.clear();
}

/// The handlers served by name, and for the rest what the sources make of it. A definition never
/// changes, so what they made of it is kept.
CodeShelf::CodeOfStages CodeShelf::code_for(const Workflow& workflow) const {
  CodeOfStages code(workflow.stage_count());
  std::vector<CodeSource> sources;
  {
    const MutexLock lock(mutex_);
    const auto made = made_code_.find(workflow.hash());
    if (made != made_code_.end()) code = made->second;
    for (std::size_t i = 0; i < code.size(); ++i) {
      const StageDefinition& stage = workflow.stage(static_cast<StageIndex>(i));
      const auto known =
          handlers_.find(stage.is_human() ? workflow.name() + "." + stage.name : stage.handler);
      if (known != handlers_.end()) code[i] = known->second;
    }
    if (made != made_code_.end()) return code;
    sources = sources_;
  }
  if (sources.empty()) return code;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (!code[i]) code[i] = made_by(sources, workflow, workflow.stage(static_cast<StageIndex>(i)));
  }
  constexpr std::size_t kept_max = 256;
  const MutexLock lock(mutex_);
  if (made_code_.size() >= kept_max) made_code_.clear();
  if (sources_.size() == sources.size()) made_code_.insert_or_assign(workflow.hash(), code);
  return code;
}

/// The first answer counts.
std::shared_ptr<const StageCode> CodeShelf::made_by(const std::vector<CodeSource>& sources,
                                                    const Workflow& workflow,
                                                    const StageDefinition& stage) const {
  for (const CodeSource& source : sources) {
    try {
      if (auto code = source(workflow, stage)) return code;
    } catch (const std::exception& thrown) {
      if (!log_) continue;
      log_(LogLevel::error, "the code of stage '" + stage.name + "' of workflow '" +
                                workflow.name() + "' could not be made: " + thrown.what());
    }
  }
  return nullptr;
}

bool CodeShelf::can_run(const StageDefinition& definition, const StageCode* code) const {
  if (is_excluded(definition)) return false;
  const bool has_gates = std::ranges::all_of(definition.gates, [&](const GateRef& gate) {
    return code != nullptr && code->gates.contains(gate.name);
  });
  const bool has_decider = definition.decider.empty() || (code != nullptr && code->decider);
  const bool has_condition = !definition.conditional || (code != nullptr && code->when);
  const bool has_join = !definition.joins || (code != nullptr && code->join);
  const bool has_work =
      definition.is_human() || (code != nullptr && (code->work || code->async_work));
  return has_work && has_gates && has_decider && has_condition && has_join;
}

CodeShelf::Service CodeShelf::service_of(const JobPlan& plan, StageIndex stage) const {
  const StageCode* const code = plan.code[at(stage)].get();
  if (plan.is_left || !can_run(plan.workflow.stage(stage), code)) return Service::none;
  const bool is_available =
      code == nullptr || !code->is_available || code->is_available(plan.labels);
  return is_available ? Service::available : Service::unavailable;
}

bool CodeShelf::serves(const JobPlan& plan, StageIndex stage) const {
  const Service service = service_of(plan, stage);
  if (service == Service::unavailable) saw_unavailable_ = true;
  return service == Service::available;
}

}  // namespace pawl::runtime
