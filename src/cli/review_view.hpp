#pragma once

/// A review with everything that a person needs to decide: the question, the reason, the criteria,
/// the attempts and the output. A digest ties the answer to what was shown.

#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace pawl::cli {

struct ShownReview {
  Review review;
  Job job;
  Workflow workflow;
  std::optional<Item> item;  ///< none: a job-wide stage
  std::vector<Attempt> attempts;
  Json output;  ///< of the attempt under review

  [[nodiscard]] const StageDefinition& stage() const;
  [[nodiscard]] std::string item_key() const { return item ? item->key : std::string(); }
};

/// Reads everything about a review.
[[nodiscard]] Result<ShownReview> load_review(Records& records, ReviewId id);
/// Whether the review needs an answer. Reviews of a cancelled or untrusted job do not.
[[nodiscard]] Result<bool> is_asked(Records& records, const Review& review);

/// The whole output of an attempt of the task. `not_found` if there is no such attempt.
[[nodiscard]] Result<Json> output_of_attempt(Records& records, const ShownReview& shown,
                                             AttemptNumber number);

/// The review as text, with at most `output_lines_max` lines of the output; 0: all.
[[nodiscard]] std::string review_screen(Records& records, const ShownReview& shown,
                                        const Style& style, const Times& times,
                                        const std::string& viewer, std::size_t output_lines_max);

/// Compares the two newest outputs.
[[nodiscard]] Result<std::string> attempts_diff(Records& records, const ShownReview& shown,
                                                const Style& style);

/// The JSON document of a review, with its output and attempts.
[[nodiscard]] Result<Json> shown_review_document(Records& records, const ShownReview& shown);

/// Submits the answer, tied to what was shown. A conflict says who answered first, or that the
/// review changed.
[[nodiscard]] Result<ShownReview> give_answer(Store& store, const ShownReview& shown,
                                              Answer answer);

}  // namespace pawl::cli
