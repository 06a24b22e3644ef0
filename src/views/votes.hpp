#pragma once

/// The answers to a review, and how far its approvals have come.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/review_rules.hpp"
#include "pawl/store/records.hpp"

namespace pawl::views {

struct Votes {
  std::vector<GivenAnswer> answers;    ///< all that were given, in order
  std::vector<GivenAnswer> approvals;  ///< those that count
  std::uint32_t needed = 1;
  std::optional<ApprovedContent> proposed;  ///< what they approve; none: nobody approved yet
  /// There are enough approvals, but only from the submitter and the editor.
  bool needs_other_eyes = false;

  /// How many are missing.
  [[nodiscard]] std::uint32_t missing() const;
};

[[nodiscard]] Votes votes_of(const ReviewRules& rules, const Review& review,
                             std::vector<GivenAnswer> answers, std::string_view submitted_by);
/// Reads the answers.
[[nodiscard]] Result<Votes> load_votes(Records& records, const Review& review,
                                       const ReviewRules& rules, std::string_view submitted_by);

/// The content that an approval would approve; after a decision, what was approved. None: nobody
/// approved anything, or the review was rejected or sent back.
[[nodiscard]] std::optional<ApprovedContent> content_of(const Review& review, const Votes& votes);
/// "approved", "approved bert's edits", "approved attempt 1" (if that is not the attempt under
/// review), "requested changes" or "rejected".
[[nodiscard]] std::string answer_in_words(const Review& review, const Votes& votes,
                                          const Answer& answer);
/// The same without a subject: "approved, with bert's edits".
[[nodiscard]] std::string outcome_in_words(const Review& review, const Votes& votes,
                                           const Answer& answer);
/// Why a void answer no longer counts: "bert changed the output".
[[nodiscard]] std::string why_void(const Review& review, const Votes& votes,
                                   const GivenAnswer& given);

/// "1 of 2 approvals", or "2 approvals" if only one is needed.
[[nodiscard]] std::string approvals_in_words(const Votes& votes);
/// "one more", "2 more" or "somebody who neither submitted the job nor made the edits"; empty if
/// nothing is missing.
[[nodiscard]] std::string missing_in_words(const Votes& votes);

/// Whether the review is open and its due time has come.
[[nodiscard]] bool is_overdue(const Review& review, Timestamp now);

/// Adds "overdue", "approvals", "proposed" and "answers" to the document of a review.
[[nodiscard]] Json with_votes(const Json& document, const Review& review, const Votes& votes,
                              Timestamp now);

}  // namespace pawl::views
