#pragma once

/// The command line: from words to the call of one command.

#include <string>
#include <vector>

namespace pawl::cli {

/// Does what the command line says and answers the exit code. The first word is the program's name.
int run_command_line(const std::vector<std::string>& words);

}  // namespace pawl::cli
