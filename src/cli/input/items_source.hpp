#pragma once

/// Reads --items.

#include <filesystem>
#include <string>

#include "pawl/workflow/file.hpp"

namespace pawl::cli {

/// --items: "-" is stdin, an existing file is JSON lines, anything else is a glob. `invalid` if it
/// neither exists nor is a pattern: a misspelt name is not an empty list. Paths are relative to
/// `directory`, that of the workflow file.
[[nodiscard]] Result<ItemsSpec> items_named(const std::string& text, const ItemsSpec& of_file,
                                            const std::filesystem::path& directory);

}  // namespace pawl::cli
