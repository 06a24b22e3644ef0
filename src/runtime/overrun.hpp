#pragma once

/// What is recorded of an attempt that took too long.

#include "pawl/core/outcome.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::runtime {

/// The error of a stage that overran its timeout; with a gate, of that gate. The feedback for the
/// next attempt is made from it (`synthesised_feedback`).
[[nodiscard]] StageError overrun(const StageDefinition& stage, const GateRef* gate = nullptr);

}  // namespace pawl::runtime
