#pragma once

/// Compares two texts line by line.

#include <string>
#include <vector>

#include "cli/output/render.hpp"

namespace pawl::cli {

/// Lines that are only in `before` begin with "-", only in `after` with "+", others with a space.
/// Three unchanged lines are kept around each change; the rest is shown as "…". Empty if the texts
/// are equal.
[[nodiscard]] std::string line_diff(const std::vector<std::string>& before,
                                    const std::vector<std::string>& after, const Style& style);

}  // namespace pawl::cli
