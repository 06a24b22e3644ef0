#pragma once

/// The command line: from words to the call of one command.

namespace pawl::cli {

/// Does what the command line says and answers the exit code.
int run_command_line(int argc, const char* const* argv);

}  // namespace pawl::cli
