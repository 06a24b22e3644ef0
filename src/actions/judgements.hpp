#pragma once

/// What the gates of a workflow file say about an output, as far as that follows from the output
/// and the record alone: all gates but commands.

#include <optional>
#include <string>
#include <vector>

#include "actions/resolve.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/workflow.hpp"
#include "pawl/runtime/stage.hpp"
#include "pawl/workflow/action.hpp"
#include "workflow/json_schema.hpp"

namespace pawl::actions {

/// `invalid` if an expectation makes no sense, as in `expect`.
[[nodiscard]] Result<Judgement> judge_expectations(const Json& body, const Json& output,
                                                   const Lookup& lookup);
[[nodiscard]] Judgement judge_schema(const workflow::JsonSchema& schema, const Json& output);
/// Against the declared types of the output.
[[nodiscard]] Judgement judge_types(const ActionSpec& action, const Json& output);

/// What one gate of a stage says about an output that no attempt made.
struct GateCheck {
  std::string gate;
  bool advisory = false;
  std::optional<Assessment> assessment;  ///< none: the gate was not asked
  std::string why_not;                   ///< why it was not asked: "it runs a command"
};
/// One for each gate of the stage, in order. The references of the gates are resolved by `lookup`.
[[nodiscard]] std::vector<GateCheck> check_gates(const StageDefinition& stage, const Json& output,
                                                 const Lookup& lookup);

}  // namespace pawl::actions
