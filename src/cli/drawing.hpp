#pragma once

/// A directed graph as lines of text, left to right, drawn only where nobody can misread it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {

struct DrawnNode {
  std::string label;
  std::vector<std::size_t> after;  ///< the nodes whose lines lead to it, by their place
  bool is_doubled = false;         ///< the last part of its line is doubled
};

/// The picture, or nothing where lines would have to cross. REQUIRES: no cycle.
[[nodiscard]] std::optional<std::string> draw(const std::vector<DrawnNode>& nodes);

}  // namespace pawl::cli
