#pragma once

/// The handlers of the routes of reviews; `routes_reviews.cpp` is their table.

#include "pawl/core/review.hpp"
#include "service/api/call.hpp"

namespace pawl::service {

// Reading.
[[nodiscard]] Result<Reply> list_reviews(Call& call);
[[nodiscard]] Result<Reply> next_review(Call& call);
[[nodiscard]] Result<Reply> show_review(Call& call);
[[nodiscard]] Result<Reply> show_output_of_review(Call& call);
[[nodiscard]] Result<Reply> compare_outputs_of_review(Call& call);

// Acting. Each answers with the review as it is then.
[[nodiscard]] Result<Reply> claim_review(Call& call);
[[nodiscard]] Result<Reply> release_review(Call& call);
[[nodiscard]] Result<Reply> assign_review(Call& call);
[[nodiscard]] Result<Reply> answer_review(Call& call);
[[nodiscard]] Result<Reply> undo_answer(Call& call);

// Edits.
[[nodiscard]] Result<Reply> check_edits_of_review(Call& call);
[[nodiscard]] Result<Reply> upload_file_of_review(Call& call);

// What they share.

/// The document of the review as it is now.
[[nodiscard]] Result<Json> review_as_it_is(Store& store, ReviewId id);
/// `invalid` unless every file in the edits was made by an attempt that the review shows, is part
/// of edits that were given to it before, or was uploaded for it.
[[nodiscard]] Status check_files_in(Backend& backend, const Review& review, const Json& edits);

}  // namespace pawl::service
