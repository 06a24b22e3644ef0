#pragma once

/// Finds the program of a command as the child would: in its directory and its PATH.

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "actions/process.hpp"

namespace pawl::actions {

struct StartRefusal {
  StartFault fault = StartFault::other;
  int error = 0;
  std::string text;
};

/// The path to execute, or the reason there is none. A command with a slash is not checked; if it
/// cannot be started, `find_command` says why.
[[nodiscard]] std::expected<std::string, StartRefusal> program_to_try(
    const std::string& command, const std::vector<std::string>& env, const std::string& cwd);

/// The path to execute, or the reason there is none.
[[nodiscard]] std::expected<std::string, StartRefusal> find_command(
    const std::string& command, const std::vector<std::string>& env,
    const std::filesystem::path& cwd);

/// Explains an errno of the start itself.
[[nodiscard]] StartRefusal start_refusal(int error, const std::string& command);

}  // namespace pawl::actions
