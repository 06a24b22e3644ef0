#include "sqlite/review_codec.hpp"

#include "sqlite/decoded.hpp"
#include "sqlite/sql_text.hpp"

namespace pawl::sqlite {

namespace {

constexpr char insert_review[] =
    "INSERT INTO reviews (job, item, task, epoch, reason, attempt, digest, opened_at, status, "
    "claimed_by, claimed_until, answer, closed_at, outcome, effective_at) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

constexpr char update_review[] =
    "UPDATE reviews SET status = ?2, claimed_by = ?3, claimed_until = ?4, answer = ?5, "
    "closed_at = ?6, outcome = ?7, effective_at = ?8 WHERE id = ?1";

constexpr auto select_review = joined("SELECT ", review_columns, " FROM reviews WHERE id = ?1");

/// The parts of an answer that are columns of their own, beside its text.
struct AnswerColumns {
  std::optional<std::string> text;
  std::optional<ReviewOutcome> outcome;
  std::optional<Timestamp> effective_at;

  explicit AnswerColumns(const std::optional<Answer>& answer) : text(encoded(answer)) {
    if (!answer) return;
    outcome = answer->outcome;
    effective_at = answer->effective_at;
  }
};

}  // namespace

Review review_of(const Cursor& row) {
  Columns columns(row);
  Review review;
  columns.into(review.id);
  columns.into(review.job);
  columns.into(review.item);
  columns.into(review.task);
  columns.into(review.epoch);
  columns.into(review.reason);
  columns.into(review.attempt);
  columns.into(review.digest);
  columns.into(review.opened_at);
  columns.into(review.status);
  columns.into(review.claimed_by);
  columns.into(review.claimed_until);
  review.answer = decoded_or_none<Answer>(columns.view());
  columns.into(review.closed_at);
  return review;
}

ReviewId insert_review_row(Connection& connection, const Review& review) {
  const AnswerColumns answer(review.answer);
  connection.prepared(insert_review)
      .run(review.job, review.item, review.task, review.epoch, review.reason, review.attempt,
           review.digest, review.opened_at, review.status, unless_empty(review.claimed_by),
           review.claimed_until, answer.text, review.closed_at, answer.outcome,
           answer.effective_at);
  return ReviewId{connection.last_row()};
}

void update_review_row(Connection& connection, const Review& review) {
  const AnswerColumns answer(review.answer);
  connection.prepared(update_review)
      .run(review.id, review.status, unless_empty(review.claimed_by), review.claimed_until,
           answer.text, review.closed_at, answer.outcome, answer.effective_at);
}

std::optional<Review> review_with_id(Connection& connection, ReviewId id) {
  Cursor row = connection.prepared(select_review).query(id);
  if (!row.next()) return std::nullopt;
  return review_of(row);
}

}  // namespace pawl::sqlite
