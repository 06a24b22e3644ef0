#pragma once

/// A review as a row of `reviews`.

#include <cstdint>
#include <optional>
#include <string>

#include "pawl/core/review.hpp"
#include "sql/name_list.hpp"
#include "sql/nulls.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// In the order that `review_of` reads.
inline constexpr char review_columns[] =
    "id, job, item, task, epoch, reason, attempt, digest, opened_at, assigned, due_at, notice_at, "
    "status, claimed_by, claimed_until, answer, closed_at";
/// A new row, without the id that the store assigns, in the order of `review_values`.
inline constexpr char review_new_columns[] =
    "job, item, task, epoch, reason, attempt, digest, opened_at, assigned, due_at, notice_at, "
    "status, claimed_by, claimed_until, answer, closed_at, outcome, effective_at";
/// The columns that can change, in the order of `review_changes`.
inline constexpr char review_changing_columns[] =
    "digest, assigned, due_at, notice_at, status, claimed_by, claimed_until, answer, closed_at, "
    "outcome, effective_at";

/// The due time as it is stored: a review that is never due comes after all others.
[[nodiscard]] std::int64_t due_column(Timestamp due_at);
/// Whether somebody has to look at it still, so that it has rows in `review_queue`.
[[nodiscard]] bool is_pending(const Review& review);

[[nodiscard]] Review review_of(const Cursor& row);
[[nodiscard]] std::optional<Review> review_with_id(Session& session, ReviewId id);

/// The parts of an answer that have their own columns, beside its text.
struct AnswerColumns {
  std::optional<std::string> text;
  std::optional<ReviewOutcome> outcome;
  std::optional<Timestamp> effective_at;
};
[[nodiscard]] AnswerColumns answer_columns_of(const Review& review);

/// Calls `use` with all values of a new row; they are valid until it returns.
template <class Use>
auto review_values(const Review& review, Use use) {
  const AnswerColumns answer = answer_columns_of(review);
  return use(review.job, review.item, review.task, review.epoch, review.reason, review.attempt,
             review.digest, review.opened_at, names_text_or_null(review.assigned),
             due_column(review.due_at), review.notice_at, review.status,
             unless_empty(review.claimed_by), review.claimed_until, answer.text, review.closed_at,
             answer.outcome, answer.effective_at);
}

/// The same with the values that can change.
template <class Use>
auto review_changes(const Review& review, Use use) {
  const AnswerColumns answer = answer_columns_of(review);
  return use(review.digest, names_text_or_null(review.assigned), due_column(review.due_at),
             review.notice_at, review.status, unless_empty(review.claimed_by), review.claimed_until,
             answer.text, review.closed_at, answer.outcome, answer.effective_at);
}

}  // namespace pawl::sql
