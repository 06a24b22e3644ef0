#pragma once

/// Outputs that are files: {"$file":"sha256:…","name":"annual.md","size":48213}. The record holds
/// the reference; the bytes lie in the store's payload files.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/json.hpp"
#include "pawl/store/records.hpp"

namespace pawl::cli {

struct FileOutput {
  std::string sha256;
  std::string name;  ///< as the stage called it; from outside, so it may be anything
  std::int64_t size = 0;
};
/// None when the value is not a file.
[[nodiscard]] std::optional<FileOutput> file_output_of(const Json& value);

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
