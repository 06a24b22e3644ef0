#pragma once

/// The work of a stage that runs a command or a script.

#include <memory>
#include <stop_token>

#include "actions/command.hpp"
#include "pawl/runtime/stage.hpp"

namespace pawl::actions {

/// Runs one attempt: prepares the command, runs it, and maps its end to an outcome by the protocol.
[[nodiscard]] Outcome run_command_stage(const ActionServices& services, const ActionSpec& action,
                                        Context& context, std::stop_token stop);

}  // namespace pawl::actions
