#pragma once

/// A workflow file as the command line names it: read, checked, and its faults shown.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/session.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::cli {

struct WorkflowSource {
  std::filesystem::path path;     ///< absolute
  std::filesystem::path project;  ///< absolute; where commands run and state is kept
  std::string text;
  std::string name;  ///< as the user wrote it
};

/// Reads the file and finds its project: the nearest ancestor of the working directory with a
/// project, else of the file, else the file's own directory. `not_found` or `invalid` where it
/// cannot be read.
[[nodiscard]] Result<WorkflowSource> read_workflow_source(const Session& session,
                                                          const std::string& file);

/// Faults as a compiler shows them. `text` is that of the file.
[[nodiscard]] std::string rendered(const std::vector<Diagnostic>& diagnostics,
                                   std::string_view text, const Style& style);

/// The checked file. Warnings are said; faults are shown (as JSON where asked for) and answered as
/// an empty value: the exit code is then `exit_usage`.
[[nodiscard]] std::optional<WorkflowFile> load_or_show(Session& session,
                                                       const WorkflowSource& source);

}  // namespace pawl::cli
