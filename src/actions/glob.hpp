#pragma once

/// Finds files by a pattern: `*`, `?`, `[a-z]`, `[!a-z]`, `**` for any number of directories, `\`
/// before a character that is taken literally. A name that begins with a dot matches only a pattern
/// that does too. `**` does not follow links to directories, so it never loops.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/result.hpp"

namespace pawl::actions {

/// The regular files below `base` that match, sorted by their bytes. Paths are relative to `base`,
/// or absolute if the pattern is. `invalid` names a file whose name is not UTF-8.
[[nodiscard]] Result<std::vector<std::string>> find_files(const std::filesystem::path& base,
                                                          std::string_view pattern);

/// Whether one name matches one part of a pattern.
[[nodiscard]] bool name_matches(std::string_view name, std::string_view pattern);

/// The text as a pattern that matches only itself.
[[nodiscard]] std::string literal_pattern(std::string_view text);

}  // namespace pawl::actions
