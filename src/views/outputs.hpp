#pragma once

/// Outputs as documents and people read them.

#include <functional>
#include <string>
#include <vector>

#include "codec/file_value.hpp"
#include "pawl/core/json.hpp"
#include "pawl/store/records.hpp"

namespace pawl::views {

/// Adds to each file in the value, at any depth, the "path" of its content. The path is null if the
/// content is missing.
[[nodiscard]] Json with_paths(Records& records, const Json& value);

/// The object with this member, appended or replacing a member of the same name.
[[nodiscard]] Json with_member(const Json& object, const std::string& key, Json value);

/// The text as a file name: without slashes, control characters and leading dots, never empty, of
/// bounded length. Different texts may give the same name.
[[nodiscard]] std::string safe_file_name(const std::string& text);

/// "file a.md, 4.1 KiB, PLACE", and then the content if it is a small text.
[[nodiscard]] std::vector<std::string> lines_of_file(Records& records, const codec::FileValue& file,
                                                     const std::string& place);

/// An output as readable lines: multi-line strings as they are, everything else as indented JSON,
/// and each file as the lines that `lines_of_file` returns.
[[nodiscard]] std::vector<std::string> readable_lines(
    const Json& output,
    const std::function<std::vector<std::string>(const codec::FileValue&)>& lines_of_file);

}  // namespace pawl::views
