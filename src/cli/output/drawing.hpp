#pragma once

/// Draws a directed graph as lines of text, from left to right, if the picture is unambiguous.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {

struct DrawnNode {
  std::string label;
  std::vector<std::size_t> after;  ///< indexes of the nodes whose lines lead to it
  bool is_doubled = false;         ///< the last part of its line is doubled
};

/// The picture, or none if lines would have to cross. REQUIRES: no cycle.
[[nodiscard]] std::optional<std::string> draw(const std::vector<DrawnNode>& nodes);

}  // namespace pawl::cli
