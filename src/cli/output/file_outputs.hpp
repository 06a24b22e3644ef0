#pragma once

/// Shows outputs that are files, with the path of their content.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "codec/file_value.hpp"
#include "pawl/core/json.hpp"
#include "pawl/store/records.hpp"
#include "views/outputs.hpp"

namespace pawl::cli {

using views::with_member;

/// The text as a file name: without slashes, control characters and leading dots, never empty, of
/// bounded length. Different texts may give the same name.
[[nodiscard]] std::string safe_file_name(const std::string& text);

/// An output as readable lines: multi-line strings as they are, everything else as indented JSON.
/// Small text files are shown with their content.
[[nodiscard]] std::vector<std::string> readable_lines(Records& records, const Json& output);

}  // namespace pawl::cli
