#include "sql/review_codec.hpp"

#include "sql/decoded.hpp"
#include "sql/sql_text.hpp"

namespace pawl::sql {

namespace {

constexpr auto select_review = joined("SELECT ", review_columns, " FROM reviews WHERE id = ?1");

/// Also the default of the column.
constexpr std::int64_t never_due = INT64_MAX;

void read_review(const Cursor& row, Review& review) {
  Columns columns(row);
  columns.into(review.id);
  columns.into(review.job);
  columns.into(review.item);
  columns.into(review.task);
  columns.into(review.epoch);
  columns.into(review.reason);
  columns.into(review.attempt);
  columns.into(review.digest);
  columns.into(review.opened_at);
  review.assigned = names_or_none(columns.view());
  const auto due = columns.as<std::int64_t>();
  if (due != never_due) review.due_at = Timestamp{Duration{due}};
  columns.into(review.notice_at);
  columns.into(review.status);
  columns.into(review.claimed_by);
  columns.into(review.claimed_until);
  review.answer = decoded_or_none<Answer>(columns.view());
  columns.into(review.closed_at);
}

}  // namespace

Review review_of(const Cursor& row) {
  Review review;
  reading_row([&] { return "review " + std::to_string(review.id.value()); },
              [&] { read_review(row, review); });
  return review;
}

std::optional<Review> review_with_id(Session& session, ReviewId id) {
  Cursor row = session.prepared(select_review).query(id);
  if (!row.next()) return std::nullopt;
  return review_of(row);
}

std::int64_t due_column(Timestamp due_at) {
  return due_at == no_time ? never_due : due_at.time_since_epoch().count();
}

bool is_pending(const Review& review) {
  return review.status == ReviewStatus::open || review.status == ReviewStatus::answered;
}

AnswerColumns answer_columns_of(const Review& review) {
  const std::optional<Answer>& answer = review.answer;
  if (!answer) return {};
  return {
      .text = encoded(answer), .outcome = answer->outcome, .effective_at = answer->effective_at};
}

}  // namespace pawl::sql
