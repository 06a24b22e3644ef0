#include "pawl/core/workflow.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace pawl {

struct Workflow::Representation {
  WorkflowDefinition definition;
  std::string hash;
  std::vector<StagePlan> plans;
  std::map<std::string, StageIndex, std::less<>> by_name;
  std::vector<StageIndex> order;
  std::vector<StageIndex> first;
  std::vector<StageIndex> job_wide;
  std::uint32_t item_stages = 0;
  std::uint32_t sinks = 0;
};

namespace {

StageIndex index_of(std::size_t i) { return static_cast<StageIndex>(i); }

/// Puts needs before their dependents and otherwise keeps the definition order.
std::vector<StageIndex> ordered(const std::vector<StagePlan>& plans) {
  std::vector<std::size_t> open_needs(plans.size());
  std::vector<std::vector<StageIndex>> dependents(plans.size());
  std::vector<StageIndex> order;
  order.reserve(plans.size());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    open_needs[i] = plans[i].needs.size();
    for (const StageIndex need : plans[i].needs) dependents[at(need)].push_back(index_of(i));
    if (open_needs[i] == 0) order.push_back(index_of(i));
  }
  for (std::size_t done = 0; done < order.size(); ++done) {
    for (const StageIndex dependent : dependents[at(order[done])]) {
      if (--open_needs[at(dependent)] == 0) order.push_back(dependent);
    }
  }
  require(order.size() == plans.size(), "a checked workflow has no cycle");
  return order;
}

/// The stages reachable over item-scope dependents, in the given order.
std::vector<StageIndex> reachable(const std::vector<StagePlan>& plans, StageIndex from,
                                  const std::vector<std::uint32_t>& place) {
  std::vector<bool> seen(plans.size(), false);
  std::vector<StageIndex> found;
  const auto visit = [&](StageIndex stage) {
    for (const StageIndex next : plans[at(stage)].dependents) {
      if (seen[at(next)]) continue;
      seen[at(next)] = true;
      found.push_back(next);
    }
  };
  visit(from);
  for (std::size_t i = 0; i < found.size(); ++i) visit(found[i]);
  std::ranges::sort(found, {}, [&](StageIndex stage) { return place[at(stage)]; });
  return found;
}

/// Stages that name the same pool share its limits, even if only one of them sets a limit.
Limits shared_limits(const WorkflowDefinition& definition, const StageDefinition& stage) {
  Limits shared = stage.limits;
  if (shared.pool.empty()) {
    if (shared != Limits{}) shared.pool = definition.name + "/" + stage.name;
    return shared;
  }
  for (const StageDefinition& other : definition.stages) {
    if (other.limits.pool != shared.pool) continue;
    if (other.limits.parallel > 0) shared.parallel = other.limits.parallel;
    if (other.limits.rate.is_set()) shared.rate = other.limits.rate;
  }
  return shared;
}

std::uint64_t mask_of(std::size_t needs) {
  require(needs <= 64, "a checked stage has at most 64 needs");
  return needs == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << needs) - 1;
}

}  // namespace

Workflow Workflow::from_checked(WorkflowDefinition definition, std::string hash) {
  auto made = std::make_shared<Representation>();
  made->definition = std::move(definition);
  made->hash = std::move(hash);
  const std::vector<StageDefinition>& stages = made->definition.stages;
  require(stages.size() <= stages_max, "a checked workflow has at most 65,535 stages");

  made->plans.resize(stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const bool is_new = made->by_name.emplace(stages[i].name, index_of(i)).second;
    require(is_new, "stage names are unique in a checked workflow");
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    StagePlan& plan = made->plans[i];
    plan.index = index_of(i);
    plan.limits = shared_limits(made->definition, stages[i]);
    plan.full_mask = mask_of(stages[i].needs.size());
    for (const std::string& name : stages[i].needs) {
      const auto need = made->by_name.find(name);
      require(need != made->by_name.end(), "a checked stage needs stages that exist");
      plan.needs.push_back(need->second);
      if (stages[i].scope == Scope::item) {
        made->plans[at(need->second)].dependents.push_back(index_of(i));
      }
    }
    if (stages[i].scope == Scope::all) {
      made->job_wide.push_back(index_of(i));
      continue;
    }
    ++made->item_stages;
    if (plan.needs.empty()) made->first.push_back(index_of(i));
  }

  made->order = ordered(made->plans);
  std::vector<std::uint32_t> place(stages.size());
  for (std::size_t i = 0; i < made->order.size(); ++i) {
    place[at(made->order[i])] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = 0; i < stages.size(); ++i) {
    StagePlan& plan = made->plans[i];
    plan.downstream = reachable(made->plans, plan.index, place);
    plan.is_sink = stages[i].scope == Scope::item && plan.dependents.empty();
    if (plan.is_sink) ++made->sinks;
  }
  return Workflow(std::move(made));
}

Workflow::Workflow(std::shared_ptr<const Representation> representation)
    : representation_(std::move(representation)) {}

const std::string& Workflow::name() const { return representation_->definition.name; }
const std::string& Workflow::hash() const { return representation_->hash; }
const WorkflowDefinition& Workflow::definition() const { return representation_->definition; }

std::size_t Workflow::stage_count() const { return representation_->definition.stages.size(); }

const StageDefinition& Workflow::stage(StageIndex index) const {
  require(at(index) < stage_count(), "the stage index belongs to this workflow");
  return representation_->definition.stages[at(index)];
}

const StagePlan& Workflow::plan(StageIndex index) const {
  require(at(index) < stage_count(), "the stage index belongs to this workflow");
  return representation_->plans[at(index)];
}

std::optional<StageIndex> Workflow::find(std::string_view stage) const {
  const auto found = representation_->by_name.find(stage);
  if (found == representation_->by_name.end()) return {};
  return found->second;
}

Result<StageIndex> Workflow::require_stage(std::string_view stage) const {
  if (const auto found = find(stage)) return *found;
  std::vector<std::string> known;
  for (const StageDefinition& it : definition().stages) known.push_back(it.name);
  const std::string nearest = nearest_name(stage, known);
  return fail(ErrorCode::not_found,
              "no stage '" + std::string(stage) + "' in workflow '" + name() + "'",
              nearest.empty() ? std::string{} : "did you mean '" + nearest + "'?");
}

const std::vector<StageIndex>& Workflow::first_stages() const { return representation_->first; }
const std::vector<StageIndex>& Workflow::all_scope_stages() const {
  return representation_->job_wide;
}
std::uint32_t Workflow::item_stage_count() const { return representation_->item_stages; }
std::uint32_t Workflow::sink_count() const { return representation_->sinks; }
const std::vector<StageIndex>& Workflow::topological_order() const {
  return representation_->order;
}

const std::string& Workflow::pool_of(StageIndex index) const { return plan(index).limits.pool; }

}  // namespace pawl
