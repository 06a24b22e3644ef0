#pragma once

/// The digests of the scripts that the commands of a workflow run. They are compared for adoption:
/// after a change of a script the items run again. Other files that a command names are not
/// compared, because the command itself may write them.

#include <filesystem>
#include <string>
#include <vector>

#include "pawl/core/result.hpp"
#include "pawl/core/workflow.hpp"
#include "pawl/runtime/engine.hpp"

namespace pawl {

/// {"scripts/convert.py":"<sha256>"}: every script that `named_files` lists, that exists, and that
/// is in the directory of the workflow file. Null if there is none. `unavailable` if a file cannot
/// be read.
[[nodiscard]] Result<Json> work_files(const Workflow& workflow,
                                      const std::filesystem::path& directory);

/// Those whose digest is not the same in both, by name.
[[nodiscard]] std::vector<std::string> changed_files(const Json& before, const Json& now);

/// The same items, but an item is adopted only if the files are the same, too. Null changes
/// nothing.
[[nodiscard]] ItemSource compared_with_files(ItemSource items, const Json& files);

}  // namespace pawl
