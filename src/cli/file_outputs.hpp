#pragma once

/// Outputs that are files, as people see them: with the path of their bytes.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/store/records.hpp"
#include "workflow/file_value.hpp"

namespace pawl::cli {

/// The value with a "path" in each file it holds, however deep: where its bytes can be read. A file
/// whose bytes are gone gets a null.
[[nodiscard]] Json with_paths(Records& records, const Json& value);

/// The object with this member, put at its end or in place of its namesake.
[[nodiscard]] Json with_member(const Json& object, const std::string& key, Json value);

/// A text as one name of a file: without slashes, control characters and leading dots, never empty,
/// of bounded length. Different texts may give the same name.
[[nodiscard]] std::string safe_file_name(const std::string& text);

/// An output as lines for people: texts of several lines as they are, the rest as indented JSON.
/// Small text files are shown with what they hold.
[[nodiscard]] std::vector<std::string> readable_lines(Records& records, const Json& output);

}  // namespace pawl::cli
