#pragma once

/// Whether the scripts that commands name, and the directories they run in, are there.

#include <filesystem>
#include <string>
#include <vector>

#include "workflow/value_reader.hpp"

namespace pawl::workflow {

/// Warns when a stage's `dir` is not there.
void warn_of_missing_directory(Faults& faults, const Place& place, const std::string& directory,
                               const std::filesystem::path& project);

/// Warns when the program of a command, or the script an interpreter is given, looks like a file of
/// the project and is not there, or cannot be run. `command` is the list as written.
void warn_of_missing_script(Faults& faults, const YamlNode& command,
                            const std::vector<std::string>& argv,
                            const std::filesystem::path& directory);

}  // namespace pawl::workflow
