#pragma once

/// An immutable, content-hashed DAG of stages with their policies.
///
/// A Workflow is data: it names handlers, gates and deciders, and contains none of their code. The
/// C++ builder ("pawl/runtime/program.hpp") and the workflow file compile to this same value. The
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
  all = 2,   ///< job-wide: once per job, when every item has ended the stages it needs
};

/// One gate of a stage, by name.
struct GateRef {
  std::string name;
  bool advisory = false;  ///< its verdict is recorded and never decides
  OnUncertain on_uncertain = OnUncertain::review;
  Duration timeout{0};  ///< for this gate; 0: the stage's `gate_timeout`
  friend bool operator==(const GateRef&, const GateRef&) = default;
};

/// How the verdicts of a stage's gates are combined.
enum class GateMode : std::uint8_t { all = 1, any = 2 };

struct StageDefinition {
  std::string name;
  std::vector<std::string> needs;
  /// The name of the code that does the work. Empty for a human stage, which returns its input at
  /// once and waits for a person.
  std::string handler;
  Scope scope = Scope::item;
  std::vector<GateRef> gates;
  GateMode gate_mode = GateMode::all;
  RetryPolicy retry;
  ReviewPolicy review = ReviewPolicy::never;
  ReviewRules review_rules;
  std::vector<std::string> editable;  ///< output fields a reviewer may change; empty: all
  OnRejected rejected = OnRejected::fail;
  std::string changes_rerun;  ///< the upstream stage that "request changes" reruns; empty: itself
  OnFailure on_failure = OnFailure::dead_letter;
  Limits limits;
  Tolerance tolerate_failures;  ///< of this stage's fan-out children
  bool conditional = false;     ///< has a `when`, evaluated at claim
  bool joins = false;           ///< has a join function for its expansions
  std::string decider;          ///< the custom decider's name; empty: the default
  Json params;                  ///< passed to the handler; part of the workflow's identity
  friend bool operator==(const StageDefinition&, const StageDefinition&) = default;

  [[nodiscard]] bool is_human() const { return handler.empty(); }
  /// Whether a reviewer may ask for changes. A human stage has nothing to run again unless it names
  /// an earlier stage.
  [[nodiscard]] bool takes_changes() const { return !is_human() || !changes_rerun.empty(); }
  /// How long this gate may take: its own timeout, or the stage's. 0: no limit.
  [[nodiscard]] Duration timeout_of(const GateRef& gate) const {
    return gate.timeout > Duration::zero() ? gate.timeout : retry.gate_timeout;
  }
};

/// A workflow before it is checked.
struct WorkflowDefinition {
  std::string name;
  std::vector<StageDefinition> stages;
  friend bool operator==(const WorkflowDefinition&, const WorkflowDefinition&) = default;
};

/// A stage with its computed place in the graph.
struct StagePlan {
  StageIndex index{};
  std::vector<StageIndex> needs;       ///< bit i of a join's mask is needs[i]
  std::vector<StageIndex> dependents;  ///< item-scope stages that need this one
  std::vector<StageIndex> downstream;  ///< everything reachable, item scope, in topological order
  std::uint64_t full_mask = 0;         ///< all needs satisfied
  bool is_sink = false;                ///< no item-scope stage depends on it
  /// The limits that apply: those of its pool, whichever stage defined them. `pool` is `pool_of`.
  Limits limits;
};

/// Every fault of a definition, in definition order; empty if there is none. Finds zero attempts,
/// negative durations, unknown names (with a suggestion), cycles ("cycle: a → b → a"), duplicate
/// stages, more than 64 needs, an item stage that needs a job-wide stage, and contradictory
/// policies.
[[nodiscard]] std::vector<Error> faults_of(const WorkflowDefinition& definition);

/// The name in `known` nearest to a misspelt `name`, or empty if none is near.
[[nodiscard]] std::string nearest_name(std::string_view name,
                                       const std::vector<std::string>& known);

class Workflow {
 public:
  /// Requires that `faults_of(definition)` is empty. `hash` is the SHA-256 of the definition's
  /// canonical text; `compile` in "pawl/codec/workflow.hpp" computes it.
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
  /// The number of item-scope stages that no item-scope stage depends on.
  [[nodiscard]] std::uint32_t sink_count() const;
  /// Every stage once, needs before dependents.
  [[nodiscard]] const std::vector<StageIndex>& topological_order() const;

  /// The pool that a stage draws from: `limits.pool`, or "workflow/stage" if the stage has limits
  /// of its own, or empty if it has none.
  [[nodiscard]] const std::string& pool_of(StageIndex index) const;

  friend bool operator==(const Workflow& a, const Workflow& b) { return a.hash() == b.hash(); }

 private:
  struct Representation;
  explicit Workflow(std::shared_ptr<const Representation> representation);
  std::shared_ptr<const Representation> representation_;
};

}  // namespace pawl
