#pragma once

/// Shows a review to a person, with the reason, the criteria, the attempts and the output, and
/// submits the answer.

#include <string>

#include "cli/session.hpp"
#include "views/reviews.hpp"

namespace pawl::cli {

using views::is_asked;
using views::load_review;
using views::output_of_attempt;
using views::shown_review_document;
using views::ShownReview;

/// The review as text, with at most `output_lines_max` lines of the output; 0: all.
[[nodiscard]] std::string review_screen(Records& records, const ShownReview& shown,
                                        const Style& style, const Times& times,
                                        const std::string& viewer, std::size_t output_lines_max);

/// Compares the two newest outputs.
[[nodiscard]] Result<std::string> attempts_diff(Records& records, const ShownReview& shown,
                                                const Style& style);

/// Submits the answer, tied to what was shown. A conflict says who answered first, or that the
/// review changed.
[[nodiscard]] Result<ShownReview> give_answer(Store& store, const ShownReview& shown,
                                              Answer answer);

}  // namespace pawl::cli
