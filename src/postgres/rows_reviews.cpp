/// Reviews, the audit trail and the log.

#include <algorithm>

#include "codec/journal.hpp"
#include "postgres/postgres_rows.hpp"
#include "postgres/read_locked.hpp"
#include "sql/answer_codec.hpp"
#include "sql/audit_codec.hpp"
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
constexpr auto select_due_notices =
    joined("SELECT ", sql::review_columns,
           " FROM reviews WHERE status = 1 AND notice_at > 0 AND notice_at <= $1 "
           "ORDER BY notice_at, id LIMIT $2");
constexpr char update_answer[] =
    "UPDATE review_answers SET fate = $3, ended_at = $4 WHERE review = $1 AND number = $2";

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
  append_queued(new_queued_, review, id);
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

std::vector<Review> PostgresRows::due_notices(Timestamp now, std::uint32_t max) {
  send();
  return read_locked(
      [&] { return reviews_from(connection_.ask(select_due_notices, Parameters::of(now, max))); });
}

/// REQUIRES: the ledger has locked the job of the review.
std::vector<GivenAnswer> PostgresRows::answers(ReviewId review) {
  send();
  return sql::answers_of(connection_, review);
}

void PostgresRows::insert_answer(const GivenAnswer& answer) {
  sql::answer_values(answer, [&](const auto&... values) { new_answers_.append(values...); });
}

void PostgresRows::put_answer(const GivenAnswer& answer) {
  send_answers();
  connection_.post(update_answer,
                   Parameters::of(answer.review, answer.number, answer.fate, answer.ended_at));
}

/// The newest entry is read after the lock was granted, so it is the newest of all that were
/// committed.
AuditEntry PostgresRows::newest_audit() {
  if (!newest_audit_) {
    (void)counter("audit");
    newest_audit_ = sql::newest_audit(connection_);
  }
  return *newest_audit_;
}

/// REQUIRES: the ledger has asked for the newest entry, and so has the lock.
void PostgresRows::append_audit(const AuditEntry& entry) {
  sql::audit_values(entry, [&](const auto&... values) { new_audit_.append(values...); });
  newest_audit_ = entry;
  counter("audit") = entry.number + 1;
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
