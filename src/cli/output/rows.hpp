#pragma once

/// Breaks text into the rows of a terminal.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::cli {

/// The rows that a text takes on a terminal of this width. Lines are broken at spaces where
/// possible. The text must be printable; our own colours take no room.
[[nodiscard]] std::vector<std::string> rows_of(std::string_view text, std::size_t columns);

/// The text for a program that does not know our own colours, made printable.
[[nodiscard]] std::string without_colours(std::string_view text);

}  // namespace pawl::cli
