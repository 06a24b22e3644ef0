#pragma once

/// Whether the scripts that commands name are there.

#include <filesystem>
#include <string>
#include <vector>

#include "workflow/value_reader.hpp"

namespace pawl {

/// Warns when the program of a command, or the script an interpreter is given, looks like a file of
/// the project and is not there. `command` is the list as written.
void warn_of_missing_script(Faults& faults, const YamlNode& command,
                            const std::vector<std::string>& argv,
                            const std::filesystem::path& directory);

}  // namespace pawl
