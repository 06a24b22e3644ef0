#include "pawl/runtime/program.hpp"

#include <algorithm>
#include <utility>

#include "pawl/codec/workflow.hpp"

namespace pawl {

StageBuilder& StageBuilder::needs(const std::string& stage) {
  owner_->needs(stage_, stage);
  return *this;
}
StageBuilder& StageBuilder::gate(const std::string& name, GateFunction gate, GateRef settings) {
  owner_->gate(stage_, name, std::move(gate), std::move(settings));
  return *this;
}
StageBuilder& StageBuilder::retry(const RetryPolicy& policy) {
  owner_->retry(stage_, policy);
  return *this;
}
StageBuilder& StageBuilder::review(ReviewPolicy policy) {
  owner_->review(stage_, policy);
  return *this;
}
StageBuilder& StageBuilder::review_rules(ReviewRules rules) {
  owner_->set(stage_, "review_rules",
              [rules = std::move(rules)](StageDefinition& stage, StageCode&) {
                stage.review_rules = rules;
              });
  return *this;
}
StageBuilder& StageBuilder::gate_mode(GateMode mode) {
  owner_->set(stage_, "gate_mode",
              [mode](StageDefinition& stage, StageCode&) { stage.gate_mode = mode; });
  return *this;
}
StageBuilder& StageBuilder::editable(std::vector<std::string> fields) {
  owner_->set(stage_, "editable", [fields = std::move(fields)](StageDefinition& stage, StageCode&) {
    stage.editable = fields;
  });
  return *this;
}
StageBuilder& StageBuilder::rejected(OnRejected what) {
  owner_->set(stage_, "rejected",
              [what](StageDefinition& stage, StageCode&) { stage.rejected = what; });
  return *this;
}
StageBuilder& StageBuilder::changes_rerun(const std::string& upstream_stage) {
  owner_->set(stage_, "changes_rerun", [upstream_stage](StageDefinition& stage, StageCode&) {
    stage.changes_rerun = upstream_stage;
  });
  return *this;
}
StageBuilder& StageBuilder::on_failure(OnFailure what) {
  owner_->set(stage_, "on_failure",
              [what](StageDefinition& stage, StageCode&) { stage.on_failure = what; });
  return *this;
}
StageBuilder& StageBuilder::limits(const Limits& limits) {
  owner_->set(stage_, "limits",
              [limits](StageDefinition& stage, StageCode&) { stage.limits = limits; });
  return *this;
}
StageBuilder& StageBuilder::tolerate_failures(const Tolerance& tolerance) {
  owner_->set(stage_, "tolerate_failures", [tolerance](StageDefinition& stage, StageCode&) {
    stage.tolerate_failures = tolerance;
  });
  return *this;
}
StageBuilder& StageBuilder::when(Condition condition) {
  owner_->set(stage_, "when",
              [condition = std::move(condition)](StageDefinition& stage, StageCode& code) {
                stage.conditional = true;
                code.when = condition;
              });
  return *this;
}
StageBuilder& StageBuilder::each(StageFunction work) {
  owner_->set(stage_, "each",
              [work = std::move(work)](StageDefinition&, StageCode& code) { code.each = work; });
  return *this;
}
StageBuilder& StageBuilder::join(StageFunction work) {
  owner_->set(stage_, "join", [work = std::move(work)](StageDefinition& stage, StageCode& code) {
    stage.joins = true;
    code.join = work;
  });
  return *this;
}
StageBuilder& StageBuilder::decider(const std::string& name, Decider decider) {
  owner_->set(stage_, "decider",
              [name, decider = std::move(decider)](StageDefinition& stage, StageCode& code) {
                stage.decider = name;
                code.decider = decider;
              });
  return *this;
}
StageBuilder& StageBuilder::params(Json params) {
  owner_->set(stage_, "params", [params = std::move(params)](StageDefinition& stage, StageCode&) {
    stage.params = params;
  });
  return *this;
}

WorkflowBuilder::WorkflowBuilder(std::string name) : name_(std::move(name)) {}

StageBuilder WorkflowBuilder::add(StageDefinition definition, StageCode code) {
  std::string name = definition.name;
  stages_.push_back({.definition = std::move(definition), .code = std::move(code)});
  return StageBuilder(*this, std::move(name));
}

StageBuilder WorkflowBuilder::stage(const std::string& name, StageFunction work) {
  return add({.name = name, .handler = name_ + "." + name}, {.work = std::move(work)});
}
StageBuilder WorkflowBuilder::async_stage(const std::string& name, AsyncStageFunction work) {
  return add({.name = name, .handler = name_ + "." + name}, {.async_work = std::move(work)});
}
StageBuilder WorkflowBuilder::human_stage(const std::string& name) {
  return add({.name = name, .review = ReviewPolicy::always}, {});
}
StageBuilder WorkflowBuilder::all_items_stage(const std::string& name, StageFunction work) {
  return add({.name = name, .handler = name_ + "." + name, .scope = Scope::all},
             {.work = std::move(work)});
}

void WorkflowBuilder::set(const std::string& stage, std::string what, Setting setting) {
  settings_.push_back({.stage = stage, .what = std::move(what), .setting = std::move(setting)});
}

WorkflowBuilder& WorkflowBuilder::needs(const std::string& stage, const std::string& need) {
  set(stage, "needs",
      [need](StageDefinition& definition, StageCode&) { definition.needs.push_back(need); });
  return *this;
}
WorkflowBuilder& WorkflowBuilder::gate(const std::string& stage, const std::string& name,
                                       GateFunction gate, GateRef settings) {
  settings.name = name;
  set(stage, "gate '" + name + "'",
      [settings, gate = std::move(gate)](StageDefinition& definition, StageCode& code) {
        definition.gates.push_back(settings);
        code.gates.emplace(settings.name, gate);
      });
  return *this;
}
WorkflowBuilder& WorkflowBuilder::retry(const std::string& stage, const RetryPolicy& policy) {
  set(stage, "retry",
      [policy](StageDefinition& definition, StageCode&) { definition.retry = policy; });
  return *this;
}
WorkflowBuilder& WorkflowBuilder::review(const std::string& stage, ReviewPolicy policy) {
  set(stage, "review",
      [policy](StageDefinition& definition, StageCode&) { definition.review = policy; });
  return *this;
}

std::expected<Program, std::vector<Error>> WorkflowBuilder::build() const {
  std::vector<Added> stages = stages_;
  std::vector<std::string> names;
  for (const Added& added : stages) names.push_back(added.definition.name);

  std::vector<Error> faults;
  for (const Pending& pending : settings_) {
    const auto added = std::ranges::find_if(
        stages, [&](const Added& one) { return one.definition.name == pending.stage; });
    if (added == stages.end()) {
      const std::string near = nearest_name(pending.stage, names);
      faults.push_back({.code = ErrorCode::invalid,
                        .message = pending.what + " is set for stage '" + pending.stage +
                                   "', which workflow '" + name_ + "' does not have",
                        .help = near.empty() ? "" : "did you mean '" + near + "'?"});
      continue;
    }
    pending.setting(added->definition, added->code);
  }
  WorkflowDefinition definition{.name = name_, .stages = {}};
  std::map<std::string, std::shared_ptr<const StageCode>> handlers;
  for (Added& added : stages) {
    const bool has_code = added.code.work || added.code.async_work;
    if (!added.definition.is_human() && !has_code) {
      faults.push_back({.code = ErrorCode::invalid,
                        .message = "stage '" + added.definition.name + "' has no function",
                        .help = "give it one, or make it a human_stage"});
    }
    const std::string handler = added.definition.is_human() ? name_ + "." + added.definition.name
                                                            : added.definition.handler;
    handlers.emplace(handler, std::make_shared<const StageCode>(std::move(added.code)));
    definition.stages.push_back(std::move(added.definition));
  }
  auto workflow = compile(std::move(definition));
  if (!workflow) faults.insert(faults.end(), workflow.error().begin(), workflow.error().end());
  if (!faults.empty()) return std::unexpected(std::move(faults));
  return Program(std::move(*workflow), std::move(handlers));
}

std::string text_of(const std::vector<Error>& faults) {
  std::string text;
  for (const Error& fault : faults) text += (text.empty() ? "" : "\n") + fault.text();
  return text;
}

}  // namespace pawl
