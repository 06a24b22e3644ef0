#pragma once

/// Which words of a command name files, and warnings about missing scripts and directories.

#include <filesystem>
#include <string>
#include <vector>

#include "workflow/value_reader.hpp"

namespace pawl::workflow {

/// Whether a word of a command is a literal, relative path with a slash.
[[nodiscard]] bool names_file(const std::string& word);
/// Whether the word at this place is a script of the project: the program, if it names a file, or
/// the first argument of an interpreter.
[[nodiscard]] bool is_script_word(const std::vector<std::string>& argv, std::size_t place);

/// Warns if a stage's `dir` does not exist.
void warn_of_missing_directory(Faults& faults, const Place& place, const std::string& directory,
                               const std::filesystem::path& project);

/// Warns if the program of a command, or the script passed to an interpreter, looks like a file of
/// the project but does not exist or is not executable. `command` is the list as written.
void warn_of_missing_script(Faults& faults, const YamlNode& command,
                            const std::vector<std::string>& argv,
                            const std::filesystem::path& directory);

}  // namespace pawl::workflow
