#pragma once

/// Lines of CSV for spreadsheets: quoted as in RFC 4180, but each ends in LF, as Unix programs
/// expect.

#include <string>
#include <string_view>
#include <vector>

namespace pawl::views {

/// One record, with its line break. Unprintable characters become escapes; line breaks inside a
/// cell stay. A text that a spreadsheet would read as a formula gets an apostrophe in front; a
/// number never does.
[[nodiscard]] std::string csv_line(const std::vector<std::string>& cells);

}  // namespace pawl::views
