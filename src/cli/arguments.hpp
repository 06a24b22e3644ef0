#pragma once

/// Parses the command line and calls one command.

#include <string>
#include <vector>

namespace pawl::cli {

/// Runs the command and returns the exit code. The first word is the name of the program.
int run_command_line(const std::vector<std::string>& words);

}  // namespace pawl::cli
