#pragma once

/// Reads the text of a workflow file.

#include <filesystem>
#include <string>

#include "pawl/core/result.hpp"

namespace pawl::actions {

/// `not_found`, or `invalid` for what is not a file, cannot be read or is too large. `name` is what
/// the errors call it.
[[nodiscard]] Result<std::string> read_workflow_text(const std::filesystem::path& path,
                                                     const std::string& name);

}  // namespace pawl::actions
