#pragma once

/// Runs a command for an attempt, as its work or as one of its gates, by the subprocess protocol.

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

namespace pawl::actions {

/// What the code of every stage shares. Immutable.
struct ActionServices {
  std::shared_ptr<Store> store;
  ActionOptions options;
  std::shared_ptr<RunDirectory> run;  ///< shared by all code of one source

  /// An environment variable of this process.
  [[nodiscard]] std::optional<std::string> variable(const std::string& name) const;
};

/// A command that is ready to run.
struct Command {
  std::vector<std::string> argv;
  std::vector<std::string> env;
  std::string cwd;
  std::vector<std::string> secrets;  ///< the values of the secrets
};

/// Adds the environment and the directory to a command whose references are resolved. The error is
/// final, with the code R205 (a secret is not set) or R206 (a reference has no usable value), or
/// retryable if the store could not be read.
[[nodiscard]] std::expected<Command, StageError> prepare_command(
    const ActionServices& services, const ActionSpec& action, const std::vector<std::string>& argv,
    Context& context, const Lookup& lookup, Workspace& place);

/// The PATH of commands if pawl has none.
inline constexpr const char* usual_path = "/usr/local/bin:/usr/bin:/bin";

/// The absolute path of the job's project directory; empty if the job names none.
[[nodiscard]] std::string project_of(const Context& context);

/// Runs the command to its end and consumes it, except for its secrets. Keeps up to
/// `capture_bytes_max` bytes of stdout unchanged.
[[nodiscard]] ProcessEnd run_command(const ActionServices& services, Command& command,
                                     std::string input, Workspace& place, std::stop_token stop,
                                     std::size_t capture_bytes_max);

/// The error if a command cannot be prepared: retryable for the store or the disk, R206 for a
/// value.
[[nodiscard]] StageError error_before_start(const Error& error);

/// The longest result, verdict or captured output that is accepted.
inline constexpr std::size_t result_bytes_max = std::size_t{16} << 20U;

}  // namespace pawl::actions
