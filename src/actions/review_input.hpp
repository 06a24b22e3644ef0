#pragma once

/// A review with the input of its stage, which only the action of the stage can resolve.

#include "pawl/core/time.hpp"
#include "views/reviews.hpp"

namespace pawl::actions {

/// `views::load_review` with `in` filled in. If the input cannot be resolved, `in_fault` says why;
/// only a store that does not answer is an error.
[[nodiscard]] Result<views::ShownReview> load_review_with_input(Records& records, ReviewId id,
                                                                Timestamp now);

}  // namespace pawl::actions
