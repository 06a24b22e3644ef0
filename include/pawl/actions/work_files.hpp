#pragma once

/// The digests of the files that the commands of a workflow name. They are compared for adoption:
/// after a change of a script or of a prompt file the items run again.

#include <filesystem>
#include <string>
#include <vector>

#include "pawl/core/result.hpp"
#include "pawl/core/workflow.hpp"
#include "pawl/runtime/engine.hpp"

namespace pawl {

/// {"scripts/convert.py":"<sha256>"}: the regular files in the directory of the workflow file that
/// `named_files` lists. Links that lead out of the directory do not count. A file of more than 64
/// MiB is compared by its size and its time of change.
///
/// `before`: what an earlier job of the same workflow compared; null if there is none. A file that
/// did not exist when that job was submitted was not needed by it, or was written by it. So it does
/// not count, unless it is a script. A file that is gone is listed with null.
[[nodiscard]] Json work_files(const Workflow& workflow, const std::filesystem::path& directory,
                              const Json& before);

/// Those whose digest is not the same in both, by name.
[[nodiscard]] std::vector<std::string> changed_files(const Json& before, const Json& now);

/// The digest that an item is compared by if its data has this one.
[[nodiscard]] std::string compared_digest(const std::string& digest, const Json& files);

/// The same items, but an item is adopted only if the files are the same, too. Null and {}
/// change nothing.
[[nodiscard]] ItemSource compared_with_files(ItemSource items, const Json& files);

}  // namespace pawl
