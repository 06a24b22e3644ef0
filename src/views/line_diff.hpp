#pragma once

/// Compares two texts line by line.

#include <cstdint>
#include <string>
#include <vector>

namespace pawl::views {

struct DiffLine {
  enum class Kind : std::uint8_t {
    kept,
    removed,   ///< only in the first text
    added,     ///< only in the second text
    left_out,  ///< stands for any number of unchanged lines
  };
  Kind kind = Kind::kept;
  const std::string* line = nullptr;  ///< in one of the texts, which must outlive it
};

/// The changes with three unchanged lines around each. Empty if the texts are equal.
[[nodiscard]] std::vector<DiffLine> line_diff(const std::vector<std::string>& before,
                                              const std::vector<std::string>& after);

/// As text: removed lines begin with "-", added ones with "+", others with a space; "…" stands for
/// lines that are left out. Unprintable characters become escapes.
[[nodiscard]] std::string in_words(const std::vector<DiffLine>& diff);

}  // namespace pawl::views
