#pragma once

/// The lines of a review about people: who decided what, who may answer and by when, and how far
/// the approvals have come.

#include <string>

#include "cli/output/review_view.hpp"

namespace pawl::cli {

/// "claimed by anna for 8m"; empty if nobody has claimed it.
[[nodiscard]] std::string claim_in_words(const Review& review, const Times& times,
                                         const std::string& viewer);
/// Who decided what, the assignees, the due time, the last hand-over and every answer, as whole
/// lines.
[[nodiscard]] std::string people_text(Records& records, const ShownReview& shown,
                                      const Style& style, const Times& times);
/// The approvals that counted before and do not count any more: "the approval of anna no longer
/// counts"; empty if there are none.
[[nodiscard]] std::string voided_in_words(const views::Votes& before, const views::Votes& after);

}  // namespace pawl::cli
