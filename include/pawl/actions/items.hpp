#pragma once

/// Reads the items of a job from the source that its workflow file names.

#include <filesystem>
#include <memory>

#include "pawl/runtime/engine.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl {

/// Returns items page by page. A line that begins with { [ or " is JSON; any other line is text.
/// Keys come from `id`, else from the data. For `glob`, the digest compared for adoption is that of
/// the file's bytes. `invalid` names the source and the line of every wrong item, up to twenty.
/// Paths, and the working directory of a command, are relative to `project`.
[[nodiscard]] ItemSource read_items(const ItemsSpec& items, const Json& params,
                                    const std::filesystem::path& project);

}  // namespace pawl
