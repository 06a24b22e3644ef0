#pragma once

/// A workflow together with the code of its stages, and the builder that makes both.
///
///   pawl::WorkflowBuilder build("documents");
///   build.stage("convert", convert)
///       .gate("structure", has_tables)
///       .retry({.max_attempts = 3, .on_exhausted = pawl::OnExhausted::escalate})
///       .review(pawl::ReviewPolicy::on_escalation);
///   build.stage("publish", publish).needs("convert");
///   const auto documents = build.build();   // Program, or every fault at once
///
/// A policy may also be set by stage name, before or after the stage itself. The last setting wins.
/// A setting for a stage that does not exist is a fault with a suggestion.

#include <expected>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pawl/core/workflow.hpp"
#include "pawl/runtime/stage.hpp"

namespace pawl {

/// The code behind one handler name.
struct StageCode {
  StageFunction work;
  AsyncStageFunction async_work;  ///< instead of `work`
  StageFunction each;             ///< what a fan-out child runs; default: `work`
  StageFunction join;  ///< runs when the children have ended; its output is the output of the stage
  Condition when;
  std::map<std::string, GateFunction> gates;
  Decider decider;
  /// Whether this process can run the stage now, for a job with these labels; empty: always. An
  /// engine leaves a stage alone while it cannot. Asked often, from the engine's threads.
  std::function<bool(const Json& job_labels)> is_available;
};

/// Code by handler name.
using Handlers = std::map<std::string, std::shared_ptr<const StageCode>>;

/// A workflow with the code of its handlers. Copies share the code.
class Program {
 public:
  Program(Workflow workflow, Handlers handlers)
      : workflow_(std::move(workflow)), handlers_(std::move(handlers)) {}
  [[nodiscard]] const Workflow& workflow() const { return workflow_; }
  [[nodiscard]] const Handlers& handlers() const { return handlers_; }

 private:
  Workflow workflow_;
  Handlers handlers_;
};

class WorkflowBuilder;

/// The settings of one stage. Belongs to its builder and must not outlive it.
class StageBuilder {
 public:
  StageBuilder& needs(const std::string& stage);
  StageBuilder& gate(const std::string& name, GateFunction gate, GateRef settings = {});
  /// How the verdicts of several gates are combined; default: `all`.
  StageBuilder& gate_mode(GateMode mode);
  StageBuilder& retry(const RetryPolicy& policy);
  StageBuilder& review(ReviewPolicy policy);
  /// Who answers the reviews, and by when. The policy says which reviews there are:
  ///
  ///   build.stage("publish", publish)
  ///       .review(pawl::ReviewPolicy::always)
  ///       .review_rules({.assign = {"anna", "group:editors"},
  ///                      .approvals = 2,
  ///                      .due = 24h,
  ///                      .overdue = pawl::OnOverdue::escalate,
  ///                      .escalate_to = {"group:leads"}});
  StageBuilder& review_rules(ReviewRules rules);
  StageBuilder& editable(std::vector<std::string> fields);
  StageBuilder& changes_rerun(const std::string& upstream_stage);
  StageBuilder& rejected(OnRejected what);
  StageBuilder& on_failure(OnFailure what);
  StageBuilder& limits(const Limits& limits);
  StageBuilder& tolerate_failures(const Tolerance& tolerance);
  StageBuilder& when(Condition condition);
  StageBuilder& each(StageFunction work);
  StageBuilder& join(StageFunction work);
  StageBuilder& decider(const std::string& name, Decider decider);
  StageBuilder& params(Json params);

 private:
  friend class WorkflowBuilder;
  StageBuilder(WorkflowBuilder& owner, std::string stage)
      : owner_(&owner), stage_(std::move(stage)) {}
  WorkflowBuilder* owner_;
  std::string stage_;
};

class WorkflowBuilder {
 public:
  explicit WorkflowBuilder(std::string name);

  StageBuilder stage(const std::string& name, StageFunction work);
  StageBuilder async_stage(const std::string& name, AsyncStageFunction work);
  /// A human stage: attempt 1 returns its input at once and the task waits for a reviewer. Its
  /// output is that of the stage it needs; with several needs, an object of their outputs by stage
  /// name.
  StageBuilder human_stage(const std::string& name);
  /// A job-wide stage: runs once per job, when every item has ended the stages that it needs.
  StageBuilder all_items_stage(const std::string& name, StageFunction work);

  WorkflowBuilder& needs(const std::string& stage, const std::string& need);
  WorkflowBuilder& gate(const std::string& stage, const std::string& name, GateFunction gate,
                        GateRef settings = {});
  WorkflowBuilder& retry(const std::string& stage, const RetryPolicy& policy);
  WorkflowBuilder& review(const std::string& stage, ReviewPolicy policy);

  /// The program, or every fault at once.
  [[nodiscard]] std::expected<Program, std::vector<Error>> build() const;

 private:
  friend class StageBuilder;
  /// A setting for a stage that may not have been added yet.
  using Setting = std::function<void(StageDefinition&, StageCode&)>;
  StageBuilder add(StageDefinition definition, StageCode code);
  void set(const std::string& stage, std::string what, Setting setting);

  struct Added {
    StageDefinition definition;
    StageCode code;
  };
  struct Pending {
    std::string stage;
    std::string what;
    Setting setting;
  };
  std::string name_;
  std::vector<Added> stages_;
  std::vector<Pending> settings_;
};

/// All faults in one text, one per line: for programs that print them and exit.
[[nodiscard]] std::string text_of(const std::vector<Error>& faults);

}  // namespace pawl
