#pragma once

/// Warnings about missing scripts and directories.

#include <filesystem>
#include <string>
#include <vector>

#include "workflow/value_reader.hpp"

namespace pawl::workflow {

/// Warns if a stage's `dir` does not exist.
void warn_of_missing_directory(Faults& faults, const Place& place, const std::string& directory,
                               const std::filesystem::path& project);

/// Warns about each script that a command executes (`script_words`) if it does not exist or is not
/// executable. `command` is the list as written.
void warn_of_missing_script(Faults& faults, const YamlNode& command,
                            const std::vector<std::string>& argv,
                            const std::filesystem::path& directory);

}  // namespace pawl::workflow
