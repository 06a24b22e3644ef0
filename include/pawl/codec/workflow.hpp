#pragma once

/// Workflows as JSON: the form that is stored, hashed, printed by `describe` and compared.
///
/// A description contains only what differs from the defaults, so it stays short. Durations are
/// integers in microseconds (`attempt_timeout_us`). The round trip is exact:
/// `definition_from(describe(d)) == d`.

#include <expected>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

/// Checks a definition and computes its hash, or returns all its faults. Equal definitions have
/// equal hashes; the order of keys inside `params` does not matter.
[[nodiscard]] std::expected<Workflow, std::vector<Error>> compile(WorkflowDefinition definition);

[[nodiscard]] Json describe(const WorkflowDefinition& definition);

/// Reads a description strictly: an unknown key or name is `invalid`, with a suggestion. Does not
/// check the definition itself; `compile` does that.
[[nodiscard]] Result<WorkflowDefinition> definition_from(const Json& description);

/// `definition_from` followed by `compile`. If there are several faults, the error contains the
/// first one and their number.
[[nodiscard]] Result<Workflow> workflow_from(const Json& description);

}  // namespace pawl
