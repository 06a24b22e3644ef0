#pragma once

/// Shows a review to a person, with the reason, the criteria, the attempts, the input and the
/// output, and submits the answer.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/terminal_size.hpp"
#include "cli/session.hpp"
#include "views/reviews.hpp"

namespace pawl::cli {

using views::load_review;
using views::output_of_attempt;
using views::shown_review_document;
using views::ShownReview;

/// Reads everything about a review, with the resolved input of its stage. If the input cannot be
/// resolved, that is said and the rest is shown.
[[nodiscard]] Result<ShownReview> load_review_with_input(Session& session, Records& records,
                                                         ReviewId id);

/// Reads everything about a review that is to be changed. If its due time has passed unnoticed,
/// because no worker is running, what its stage says about that happens first.
[[nodiscard]] Result<ShownReview> load_review_to_change(Store& store, ReviewId id);

/// A part of what a reviewer sees. Lines are printable.
struct ReviewSection {
  std::string title;
  std::vector<std::string> lines;
  std::string shown_by;       ///< the command that shows all lines
  std::size_t lines_max = 0;  ///< 0: all
};
struct ReviewPage {
  std::string head;  ///< the question, the criteria and the attempts; whole lines
  /// What `show` names comes first, then the item, the input, the output and the artifacts.
  std::vector<ReviewSection> sections;
};
/// `position` is "3 of 24", or empty.
[[nodiscard]] ReviewPage review_page(Records& records, const ShownReview& shown, const Style& style,
                                     const Times& times, const std::string& viewer,
                                     const std::string& position = {});

/// The page as text, with at most `lines_max` lines of each section; 0: all.
[[nodiscard]] std::string review_text(const ReviewPage& page, const Style& style,
                                      std::size_t lines_max);
/// The page in as many rows as the size has. Long sections are cut; the line that says so names the
/// key that shows all.
[[nodiscard]] std::string fitted_review(const ReviewPage& page, const Style& style,
                                        const TerminalSize& size);

/// Compares the two newest outputs.
[[nodiscard]] Result<std::string> attempts_diff(Records& records, const ShownReview& shown,
                                                const Style& style);

/// The conflict that answers an attempt to answer a review again, and names who answered it; none
/// if it has no answer.
[[nodiscard]] std::optional<Error> error_if_answered(const Review& review);

/// Submits the answer, tied to what was shown. A conflict says who answered first, or that the
/// review changed.
[[nodiscard]] Result<ShownReview> give_answer(Store& store, const ShownReview& shown, Answer answer,
                                              const Actor& actor);

/// "review 12 approved", or how many approvals it has if these are not enough yet; and whose
/// approvals no longer count.
[[nodiscard]] std::string answer_given_in_words(const ShownReview& before, const ShownReview& after,
                                                const std::string& words);

}  // namespace pawl::cli
