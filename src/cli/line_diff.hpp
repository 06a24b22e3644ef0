#pragma once

/// Two texts, line by line.

#include <string>
#include <vector>

#include "cli/render.hpp"

namespace pawl::cli {

/// Lines that are only in `before` begin with "-", only in `after` with "+", others with a blank;
/// of unchanged stretches three lines stay on each side, the rest shows as "…". Empty when the
/// texts are equal.
[[nodiscard]] std::string line_diff(const std::vector<std::string>& before,
                                    const std::vector<std::string>& after, const Style& style);

}  // namespace pawl::cli
