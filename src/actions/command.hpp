#pragma once

/// Runs a command for an attempt, its work or one of its gates, by the subprocess protocol.

#include <expected>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "actions/process.hpp"
#include "actions/resolve.hpp"
#include "actions/workspace.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/core/outcome.hpp"
#include "pawl/workflow/action.hpp"

namespace pawl {

/// What the code of every stage shares. Immutable.
struct ActionServices {
  std::shared_ptr<Store> store;
  ActionOptions options;
  std::shared_ptr<RunDirectory> run;  ///< shared by all code of one source

  /// A variable of this process.
  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const;
};

/// A command with everything in its place.
struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string cwd;
  std::vector<std::string> secrets;  ///< their values
};

/// Gives a command, its references already resolved, its environment and its directory. The error
/// is final, with the code R205 (a secret is not set) or R206 (a reference has no usable value); or
/// retryable where the store could not be read.
[[nodiscard]] std::expected<Command, StageError> prepare_command(
    const ActionServices& services, const ActionSpec& action, const std::vector<std::string>& argv,
    Context& context, const Lookup& lookup, Workspace& place);

/// The project directory of the attempt's job, absolute; empty where the job names none.
[[nodiscard]] std::string project_of(const Context& context);

/// Runs it to its end; of the command only the secrets are left. Of stdout `capture_bytes_max` are
/// kept as they are.
[[nodiscard]] ProcessEnd run_command(const ActionServices& services, Command& command,
                                     std::string input, Workspace& place, std::stop_token stop,
                                     std::size_t capture_bytes_max);

/// An error of the store or the disk on the way to a command: retryable; one of the values: R206.
[[nodiscard]] StageError error_before_start(const Error& error);

/// The longest result, verdict or captured output that is read.
inline constexpr std::size_t result_bytes_max = std::size_t{16} << 20U;

}  // namespace pawl
