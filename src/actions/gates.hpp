#pragma once

/// The gates of a workflow file as functions: expectations, JSON Schemas, declared types, commands,
/// and gates composed of others.

#include <memory>

#include "actions/command.hpp"
#include "pawl/core/result.hpp"
#include "pawl/runtime/stage.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl::actions {

/// `invalid` if a schema cannot be compiled. The gate throws if it cannot judge. The engine treats
/// that as a gate error, never as a verdict.
[[nodiscard]] Result<GateFunction> make_gate(const std::shared_ptr<const ActionServices>& services,
                                             const std::shared_ptr<const ActionSpec>& action,
                                             const GateSpec& gate);

}  // namespace pawl::actions
