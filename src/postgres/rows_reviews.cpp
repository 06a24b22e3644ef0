/// Reviews and the log.

#include <algorithm>

#include "codec/journal.hpp"
#include "postgres/postgres_rows.hpp"
#include "postgres/read_locked.hpp"
#include "sql/review_codec.hpp"
#include "sql/sql_text.hpp"

namespace pawl::postgres {

namespace {

using sql::joined;

constexpr auto select_review =
    joined("SELECT ", sql::review_columns, " FROM reviews WHERE id = $1");
constexpr auto select_pending =
    joined("SELECT ", sql::review_columns,
           " FROM reviews WHERE task = $1 AND status < 3 ORDER BY id DESC LIMIT 1");
constexpr auto select_due_answers =
    joined("SELECT ", sql::review_columns,
           " FROM reviews WHERE status = 2 AND effective_at <= $1 ORDER BY effective_at, id "
           "LIMIT $2");

std::vector<Review> reviews_from(Reply reply) {
  std::vector<Review> reviews;
  ReplyRows rows(std::move(reply));
  for (sql::Cursor row(rows); row.next();) reviews.push_back(sql::review_of(row));
  return reviews;
}

std::optional<Review> first_of(std::vector<Review> reviews) {
  if (reviews.empty()) return std::nullopt;
  return std::move(reviews.front());
}

}  // namespace

ReviewId PostgresRows::insert_review(const Review& review) {
  const ReviewId id{counter("review")++};
  sql::review_values(review, [&](const auto&... values) { new_reviews_.append(id, values...); });
  return id;
}

void PostgresRows::put_review(const Review& review) {
  has_news_ = true;
  changed_reviews_.insert_or_assign(review.id, review);
}

std::optional<Review> PostgresRows::review(ReviewId id) {
  send();
  return first_of(read_locked(
      [&] { return reviews_from(connection_.ask(select_review, Parameters::of(id))); }));
}

std::optional<Review> PostgresRows::pending_review(TaskId task) {
  send();
  return first_of(read_locked(
      [&] { return reviews_from(connection_.ask(select_pending, Parameters::of(task))); }));
}

std::vector<Review> PostgresRows::due_answers(Timestamp now, std::uint32_t max) {
  send();
  return read_locked(
      [&] { return reviews_from(connection_.ask(select_due_answers, Parameters::of(now, max))); });
}

void PostgresRows::append_journal(JobId job, Timestamp at, std::span<const Event> events) {
  has_news_ = true;
  journal_text_.clear();
  codec::append_events(journal_text_, events);
  std::int64_t item_lo = INT64_MAX;
  std::int64_t item_hi = 0;
  for (const Event& event : events) {
    if (!event.item) continue;
    item_lo = std::min(item_lo, event.item.value());
    item_hi = std::max(item_hi, event.item.value());
  }
  journal_.append(job, at, journal_text_, item_lo, item_hi);
}

void PostgresRows::append_arrived_journal(JobId job, Timestamp at, std::span<const Event> events) {
  append_journal(job, at, events);
  has_arrived_ = true;
}

}  // namespace pawl::postgres
