#pragma once

/// Reads the items of a job from where its workflow file says they are.

#include <filesystem>
#include <memory>

#include "pawl/runtime/engine.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl {

/// Pages of items. A line that begins with { [ or " is JSON, any other is text. Keys follow from
/// `id`, else from the data; for `glob` the digest compared for adoption is that of the file's
/// bytes. `invalid` names the source and the line of every item that is wrong, up to twenty.
/// Paths are relative to `project`; so is the working directory of a command.
[[nodiscard]] ItemSource read_items(const ItemsSpec& items, const Json& params,
                                    const std::filesystem::path& project);

}  // namespace pawl
