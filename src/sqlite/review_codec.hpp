#pragma once

/// A review as a row of `reviews`.

#include <optional>

#include "pawl/core/review.hpp"
#include "sqlite/db.hpp"

namespace pawl::sqlite {

/// In the order that `review_of` reads.
inline constexpr char review_columns[] =
    "id, job, item, task, epoch, reason, attempt, digest, opened_at, status, claimed_by, "
    "claimed_until, answer, closed_at";

[[nodiscard]] Review review_of(const Cursor& row);
/// Inserts with the next id, which it answers.
[[nodiscard]] ReviewId insert_review_row(Connection& connection, const Review& review);
/// Writes all that can change.
void update_review_row(Connection& connection, const Review& review);
[[nodiscard]] std::optional<Review> review_with_id(Connection& connection, ReviewId id);

}  // namespace pawl::sqlite
