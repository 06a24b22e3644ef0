#pragma once

/// Reads and checks a workflow file named on the command line, and shows its errors.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::cli {

struct WorkflowSource {
  std::filesystem::path path;       ///< absolute
  std::filesystem::path directory;  ///< of the file: the base of its paths; commands run there
  std::filesystem::path home;       ///< the directory whose `.pawl` has the store
  std::string text;
  std::string name;  ///< as the user wrote it
};

/// Reads the file and finds its home: the nearest directory upwards from the file with `.pawl`,
/// else the nearest upwards from the working directory, else the directory of the file. `--dir`
/// comes before both. `not_found` or `invalid` if the file cannot be read.
[[nodiscard]] Result<WorkflowSource> read_workflow_source(const Session& session,
                                                          const std::string& file);

/// Names the store, unless it was named, or is beside the workflow file and found from here.
void say_which_store(Session& session, const WorkflowSource& source);

/// Errors and warnings as a compiler shows them. `text` is the content of the file.
[[nodiscard]] std::string rendered(const std::vector<Diagnostic>& diagnostics,
                                   std::string_view text, const Style& style);

/// The checked file. Shows warnings and errors (as JSON if requested). Empty if there are errors;
/// the exit code is then `exit_usage`.
[[nodiscard]] std::optional<WorkflowFile> load_or_show(Session& session,
                                                       const WorkflowSource& source);

}  // namespace pawl::cli
