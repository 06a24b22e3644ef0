#pragma once

/// Finds the program that a command means, as the child would: in its directory and its PATH.

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "actions/process.hpp"

namespace pawl {

struct StartRefusal {
  StartFault fault = StartFault::other;
  int error = 0;
  std::string text;
};

/// The path to try, or why there is none. A command that names its file is not looked at: where it
/// cannot be started, ask `find_command` why.
[[nodiscard]] std::expected<std::string, StartRefusal> program_to_try(
    const std::string& command, const std::vector<std::string>& env, const std::string& cwd);

/// The path to execute, or why there is none.
[[nodiscard]] std::expected<std::string, StartRefusal> find_command(
    const std::string& command, const std::vector<std::string>& env,
    const std::filesystem::path& cwd);

/// What an errno of the start itself means.
[[nodiscard]] StartRefusal start_refusal(int error, const std::string& command);

}  // namespace pawl
