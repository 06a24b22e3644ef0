#pragma once

// The files in tests/workflow/cases: each has one fault, named by its code, and the messages of
// pawl beside it. `PAWL_UPDATE_CASES=1` writes the current messages.

#include <filesystem>
#include <string>
#include <vector>

namespace pawl::testing {

struct CaseFile {
  std::filesystem::path path;
  std::string name;  ///< "E012-unknown-need"
  std::string code;  ///< "E012"; empty for a file with several faults
  std::string text;  ///< of NAME.escaped.yaml: with \t and \xNN read
};

/// In the order of their names.
std::vector<CaseFile> case_files();
std::filesystem::path cases_directory();

/// The root of the project's sources.
std::filesystem::path source_directory();

std::string read_whole(const std::filesystem::path& path);

}  // namespace pawl::testing
