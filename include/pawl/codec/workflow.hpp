#pragma once

/// Workflows as JSON: the form that is stored, hashed, printed by `describe` and compared.
///
/// A description says what differs from the defaults and nothing else, so it stays short;
/// durations are integers in microseconds (`attempt_timeout_us`). The round trip is exact:
/// `definition_from(describe(d)) == d`.

#include <expected>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

/// Checks a definition and gives it its hash, or tells all its faults at once. Equal definitions
/// have equal hashes; the order of keys inside `params` does not matter.
[[nodiscard]] std::expected<Workflow, std::vector<Error>> compile(WorkflowDefinition definition);

[[nodiscard]] Json describe(const WorkflowDefinition& definition);

/// Reads a description strictly: an unknown key or word is `invalid`, with a suggestion. The
/// definition is not checked for soundness; `compile` does that.
[[nodiscard]] Result<WorkflowDefinition> definition_from(const Json& description);

/// `definition_from` and `compile`; of several faults, the error tells the first and how many.
[[nodiscard]] Result<Workflow> workflow_from(const Json& description);

}  // namespace pawl
