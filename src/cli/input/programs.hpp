#pragma once

/// Runs the person's own editor in the foreground.

#include <cstdint>
#include <filesystem>
#include <string>

#include "cli/session.hpp"

namespace pawl::cli {

enum class ProgramEnd : std::uint8_t { done, failed, interrupted };

/// Runs a shell command with the file as its last argument, and waits for its end. Ctrl-C reaches
/// the program alone; `interrupted` if it ended by that. Where `StopSignals` holds signals back,
/// they then report it.
[[nodiscard]] ProgramEnd run_program(Session& session, const std::string& command,
                                     const std::filesystem::path& file);

/// VISUAL, else EDITOR, else vi if there is a terminal; `refused` if there is none.
[[nodiscard]] Result<std::string> editor_command(const Session& session);

}  // namespace pawl::cli
