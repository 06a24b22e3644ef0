#pragma once

/// Formats the attempts of an item.

#include <string>
#include <vector>

#include "cli/output/render.hpp"
#include "views/attempts.hpp"

namespace pawl::cli {

using views::attempts_at;
using views::outcome_in_words;
using views::TaskAttempts;
using views::time_taken;

/// A table with the feedback of each attempt below it.
[[nodiscard]] std::string attempts_text(const std::vector<TaskAttempts>& all,
                                        const Workflow& workflow, const Style& style,
                                        const Times& times);

/// The criteria of the feedback, failed ones first. Empty if there are none.
[[nodiscard]] std::string criteria_table(const Feedback& feedback, const Style& style);

}  // namespace pawl::cli
