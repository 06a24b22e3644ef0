#pragma once

/// A review with all that a person must see to decide: what is asked, why, the criteria, the
/// attempts, the output. The answer is bound to this by its digest.

#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace pawl::cli {

struct ShownReview {
  Review review;
  Job job;
  Workflow workflow;
  std::optional<Item> item;  ///< none: a stage that runs once per job
  std::vector<Attempt> attempts;
  Json output;  ///< of the attempt in question

  [[nodiscard]] const StageDefinition& stage() const;
  [[nodiscard]] std::string item_key() const { return item ? item->key : std::string(); }
};

/// Everything about a review, read anew.
[[nodiscard]] Result<ShownReview> load_review(Records& records, ReviewId id);
/// Whether somebody is to answer it: in a job that was cancelled nobody is asked any more.
[[nodiscard]] Result<bool> is_asked(Records& records, const Review& review);

/// The whole output of one of its attempts. `not_found` where there is no such attempt.
[[nodiscard]] Result<Json> output_of_attempt(Records& records, const ShownReview& shown,
                                             AttemptNumber number);

/// The screen. Of the output at most so many lines; 0: all.
[[nodiscard]] std::string review_screen(Records& records, const ShownReview& shown,
                                        const Style& style, const Times& times,
                                        const std::string& viewer, std::size_t output_lines_max);

/// The two newest outputs compared.
[[nodiscard]] Result<std::string> attempts_diff(Records& records, const ShownReview& shown,
                                                const Style& style);

/// The document of a list; with its attempts where one review is shown.
[[nodiscard]] Result<Json> shown_review_document(Records& records, const ShownReview& shown);

/// Gives the answer, bound to what was shown. A conflict says who was faster, or that it changed.
[[nodiscard]] Result<ShownReview> give_answer(Store& store, const ShownReview& shown,
                                              Answer answer);

}  // namespace pawl::cli
