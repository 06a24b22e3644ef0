#pragma once

/// An immutable, content-hashed DAG of stages with their policies.
///
/// A Workflow is data: it names handlers, gates and deciders, and holds none of their code. The
/// C++ builder ("pawl/runtime/program.hpp") and the file format compile to this same value; the
/// store keeps it once per hash, and every job is pinned to its hash.
///
/// Threads: immutable after construction; copies share one representation.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/ids.hpp"
#include "pawl/core/json.hpp"
#include "pawl/core/policy.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

enum class Scope : std::uint8_t {
  item = 1,  ///< once for every item
  all = 2,   ///< once per job, when every item has ended the stages it needs: the reduce
};

/// One gate of a stage, by name.
struct GateRef {
  std::string name;
  bool advisory = false;  ///< informs only
  OnUncertain on_uncertain = OnUncertain::review;
  Duration timeout{0};  ///< of this gate; 0: the stage's `gate_timeout`
  friend bool operator==(const GateRef&, const GateRef&) = default;
};

/// How the verdicts of a stage's gates become one.
enum class GateMode : std::uint8_t { all = 1, any = 2 };

struct StageDefinition {
  std::string name;
  std::vector<std::string> needs;
  /// The dispatch key of the code that does the work; empty for a human stage, which returns its
  /// input at once and waits for a person.
  std::string handler;
  Scope scope = Scope::item;
  std::vector<GateRef> gates;
  GateMode gate_mode = GateMode::all;
  RetryPolicy retry;
  ReviewPolicy review = ReviewPolicy::never;
  std::vector<std::string> editable;  ///< output fields a reviewer may change; empty: all
  std::string changes_rerun;  ///< the upstream stage that "request changes" restarts; empty: itself
  OnFailure on_failure = OnFailure::dead_letter;
  Limits limits;
  Tolerance tolerate_failures;  ///< of this stage's fan-out children
  bool conditional = false;     ///< has a `when`, evaluated at claim
  bool joins = false;           ///< has a join function for its expansions
  std::string decider;          ///< the custom decider's name; empty: the default
  Json params;                  ///< handed to the handler, part of the identity
  friend bool operator==(const StageDefinition&, const StageDefinition&) = default;

  [[nodiscard]] bool is_human() const { return handler.empty(); }
  /// Whether a reviewer may ask for changes: a stage that only people do has nothing to run again,
  /// unless it names an earlier one.
  [[nodiscard]] bool takes_changes() const { return !is_human() || !changes_rerun.empty(); }
  /// How long this gate may take: its own timeout, or the stage's for all of them. 0: no limit
  [[nodiscard]] Duration timeout_of(const GateRef& gate) const {
    return gate.timeout > Duration::zero() ? gate.timeout : retry.gate_timeout;
  }
};

/// What a definition consists of before it is checked.
struct WorkflowDefinition {
  std::string name;
  std::vector<StageDefinition> stages;
  friend bool operator==(const WorkflowDefinition&, const WorkflowDefinition&) = default;
};

/// A stage with its place in the graph worked out.
struct StagePlan {
  StageIndex index{};
  std::vector<StageIndex> needs;       ///< bit i of a join's mask is needs[i]
  std::vector<StageIndex> dependents;  ///< item-scope stages that need this one
  std::vector<StageIndex> downstream;  ///< everything reachable, item scope, in topological order
  std::uint64_t full_mask = 0;         ///< all needs satisfied
  bool is_sink = false;                ///< no item-scope stage depends on it
  /// What holds for it: the limits of its pool, whichever stage gave them. `pool` is `pool_of`.
  Limits limits;
};

/// Every fault of a definition, in the order of the definition; empty when it is sound.
/// Zero attempts, negative durations, unknown names (with a suggestion), cycles
/// ("cycle: a → b → a"), duplicate stages, more than 64 needs, an item stage that needs a
/// job-wide one, contradictory policies.
[[nodiscard]] std::vector<Error> faults_of(const WorkflowDefinition& definition);

/// The nearest of `known` to a misspelt `name`, or empty when nothing is near.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       const std::vector<std::string>& known);

class Workflow {
 public:
  /// REQUIRES: `faults_of(definition)` is empty. `hash` is SHA-256 over the canonical text of the
  /// definition; `compile` in "pawl/codec/workflow.hpp" computes it.
  static Workflow from_checked(WorkflowDefinition definition, std::string hash);

  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const std::string& hash() const;
  [[nodiscard]] const WorkflowDefinition& definition() const;

  [[nodiscard]] std::size_t stage_count() const;
  [[nodiscard]] const StageDefinition& stage(StageIndex index) const;
  [[nodiscard]] const StagePlan& plan(StageIndex index) const;
  [[nodiscard]] std::optional<StageIndex> find(std::string_view stage) const;
  /// `find`, or `not_found` with a suggestion.
  [[nodiscard]] Result<StageIndex> require_stage(std::string_view stage) const;

  /// Item-scope stages without needs: Ready at submission.
  [[nodiscard]] const std::vector<StageIndex>& first_stages() const;
  [[nodiscard]] const std::vector<StageIndex>& all_scope_stages() const;
  [[nodiscard]] std::uint32_t item_stage_count() const;
  /// Item-scope stages that nothing depends on: when all have ended, little is left to check.
  [[nodiscard]] std::uint32_t sink_count() const;
  /// Every stage once, needs before dependents.
  [[nodiscard]] const std::vector<StageIndex>& topological_order() const;

  /// The pool a stage draws from: `limits.pool`, or "workflow/stage" when only it is limited, or
  /// empty when it is not limited.
  [[nodiscard]] const std::string& pool_of(StageIndex index) const;

  friend bool operator==(const Workflow& a, const Workflow& b) { return a.hash() == b.hash(); }

 private:
  struct Representation;
  explicit Workflow(std::shared_ptr<const Representation> representation);
  std::shared_ptr<const Representation> representation_;
};

}  // namespace pawl
