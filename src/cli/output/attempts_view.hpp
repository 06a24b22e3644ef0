#pragma once

/// Formats the attempts of an item.

#include <string>
#include <string_view>
#include <vector>

#include "cli/output/render.hpp"
#include "views/attempts.hpp"

namespace pawl::cli {

using views::attempts_at;
using views::outcome_in_words;
using views::TaskAttempts;
using views::time_taken;

/// A table of the attempts. Below it stands what each of them ran, what the gates found in it, what
/// else the stage considered, how the output changed, and how many lines of PAWL_EVENTS were
/// ignored. The attempts of each task end with a table of their criteria.
[[nodiscard]] std::string attempts_text(Records& records, const std::vector<TaskAttempts>& all,
                                        const Workflow& workflow, const Style& style,
                                        const Times& times);

/// What each gate found in the attempt: a line with its verdict and summary. Empty if no gate
/// judged.
[[nodiscard]] std::string assessments_text(const Attempt& attempt, const Style& style);

/// What the attempt ran, as a line. Empty if nothing ran.
[[nodiscard]] std::string action_text(const Attempt& attempt, std::string_view handler);

/// What else the stage considered, one line each. Empty if it named nothing.
[[nodiscard]] std::string alternatives_text(const Attempt& attempt);

/// "2 lines of PAWL_EVENTS were ignored; the first: line 3: …". Empty if there were none.
[[nodiscard]] std::string ignored_lines_in_words(const Attempt& attempt);

/// How many criteria of the attempt's gates were met: "3 of 4". Empty if there are none.
[[nodiscard]] std::string criteria_met(const Attempt& attempt);

}  // namespace pawl::cli
