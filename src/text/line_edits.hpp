#pragma once

/// The lines that turn one text into another.

#include <cstdint>
#include <string>
#include <vector>

namespace pawl::text {

enum class EditKind : std::uint8_t { kept, removed, added };

struct LineEdit {
  EditKind kind;
  const std::string* line;  ///< in one of the compared texts, which must outlive the edit
};

/// The edits in reading order. They are the fewest possible, except for long texts that have little
/// in common: there everything between the first and the last difference counts as replaced.
[[nodiscard]] std::vector<LineEdit> line_edits(const std::vector<std::string>& before,
                                               const std::vector<std::string>& after);

}  // namespace pawl::text
