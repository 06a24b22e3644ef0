#pragma once

/// Looks at the source of items before they are read.

#include <filesystem>

#include "pawl/core/result.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::actions {

/// `invalid` if the items come from a file and it is not a regular one, so that nobody waits for a
/// pipe or a terminal.
[[nodiscard]] Status check_items_file(const ItemsSpec& items, const Json& params,
                                      const std::filesystem::path& project);

}  // namespace pawl::actions
