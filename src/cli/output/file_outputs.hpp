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

using views::safe_file_name;
using views::with_member;

/// An output as readable lines: multi-line strings as they are, everything else as indented JSON.
/// Small text files are shown with their content.
[[nodiscard]] std::vector<std::string> readable_lines(Records& records, const Json& output);

}  // namespace pawl::cli
