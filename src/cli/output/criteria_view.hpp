#pragma once

/// Formats the attempts of a task side by side: the criteria, and how the outputs change.

#include <string>
#include <vector>

#include "cli/output/render.hpp"
#include "views/criteria.hpp"
#include "views/output_changes.hpp"

namespace pawl::cli {

using views::criteria_of;
using views::output_changes;

/// A row for each criterion and a column for each attempt that has one, with "yes" or "no" and the
/// actual value. EXPECTED is the newest expectation; where an attempt had another, its cell names
/// it. If the terminal is too narrow, the oldest attempts are left out, and a line says so. Empty
/// without rows.
[[nodiscard]] std::string criteria_text(const std::vector<views::CriterionRow>& rows,
                                        const Style& style);

/// A line: "same output as attempt 1", or "output changed since attempt 1: 3 lines added, 1 line
/// removed, 120 B larger". Empty for the first output of a task and for an attempt without one.
[[nodiscard]] std::string output_change_text(const std::vector<views::OutputChange>& changes,
                                             AttemptNumber attempt);

}  // namespace pawl::cli
