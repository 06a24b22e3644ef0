/// The reviews that wait for people, in the order of their due times, and the answers to a review.
///
/// Each question has an index in this order. What is assigned to a person and to their groups is
/// one ordered list for each of these names in `review_queue`; a page merges them with the reviews
/// that are assigned to nobody.

#include <algorithm>
#include <compare>
#include <string>
#include <utility>

#include "pawl/core/text.hpp"
#include "sql/answer_codec.hpp"
#include "sql/looking.hpp"
#include "sql/reading.hpp"
#include "sql/review_codec.hpp"
#include "sql/sql_text.hpp"
#include "store/fitting.hpp"

namespace pawl::sql {

namespace {

/// The place of a review among those that wait.
struct Place {
  std::int64_t due = 0;
  ReviewId review;
  friend auto operator<=>(const Place&, const Place&) = default;
};

Place place_of(const Review& review) {
  return {.due = due_column(review.due_at), .review = review.id};
}

// The first four parameters: due time and id of the cursor, the latest due time, the limit.
constexpr char after_cursor[] =
    "(due_at, id) > (?1, ?2) AND due_at <= ?3 ORDER BY due_at, id LIMIT ?4";
constexpr auto select_all =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_by_due WHERE status < 3 AND ", after_cursor);
constexpr auto select_open_to_all = joined(
    "SELECT ", review_columns,
    " FROM reviews INDEXED BY reviews_open_to_all WHERE status < 3 AND assigned IS NULL AND ",
    after_cursor);
constexpr auto select_of_job =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_of_job_by_due WHERE status < 3 AND job = ?5 AND ",
           after_cursor);
constexpr auto select_claimed =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_claimed WHERE status = 1 AND claimed_by IS NOT NULL "
           "AND claimed_by = ?5 AND ",
           after_cursor);
// CROSS JOIN keeps SQLite from beginning with the reviews.
constexpr auto select_assigned =
    joined("SELECT ", review_columns,
           " FROM review_queue CROSS JOIN reviews WHERE reviews.id = review_queue.review "
           "AND assignee = ?5 AND (due, review) > (?1, ?2) AND due <= ?3 "
           "ORDER BY due, review LIMIT ?4");

/// The next reviews of the lists that the filter names. Some of them may not match the rest of it.
std::vector<Review> next_reviews(Session& session, const InboxFilter& filter, Place after,
                                 std::uint32_t max) {
  const std::int64_t latest =
      filter.overdue_at == no_time ? INT64_MAX : due_column(filter.overdue_at);
  std::vector<Review> reviews;
  const auto add = [&](const char* sql, const auto&... values) {
    Cursor row = session.prepared(sql).query(after.due, after.review, latest, max, values...);
    while (row.next()) reviews.push_back(review_of(row));
  };
  if (!filter.claimed_by.empty()) {
    add(select_claimed, filter.claimed_by);
  } else if (filter.job) {
    add(select_of_job, filter.job);
  } else if (filter.assigned_to.empty()) {
    add(select_all);
  } else {
    for (const std::string& name : filter.assigned_to) add(select_assigned, name);
    if (filter.open_to_all) add(select_open_to_all);
    // A review may be assigned to several of the names.
    std::ranges::sort(reviews, {}, place_of);
    reviews.erase(std::ranges::unique(reviews, {}, &Review::id).begin(), reviews.end());
    if (reviews.size() > max) reviews.resize(max);
  }
  return reviews;
}

}  // namespace

Result<std::vector<Review>> SqlRecords::inbox(const InboxFilter& given) {
  InboxFilter filter = given;
  filter.claimed_by = valid_text(std::move(filter.claimed_by));
  for (std::string& name : filter.assigned_to) name = valid_text(std::move(name));
  Place after{.due = INT64_MIN};
  if (filter.after) after = {.due = due_column(filter.after_due), .review = filter.after};
  const auto look = [&](Place from, std::uint32_t max) {
    return read([&](Session& session) -> Result<std::vector<Review>> {
      return next_reviews(session, filter, from, max);
    });
  };
  return page_of(
      after, filter.limit, look, [&](const Review& review) { return store::fits(review, filter); },
      place_of);
}

Result<Tally> SqlRecords::count(const InboxFilter& given) {
  InboxFilter filter = given;
  filter.after = {};
  filter.limit = tally_max + 1;
  return tally_of(inbox(filter));
}

Result<std::vector<GivenAnswer>> SqlRecords::answers(ReviewId review) {
  return read([&](Session& session) -> Result<std::vector<GivenAnswer>> {
    return answers_of(session, review);
  });
}

}  // namespace pawl::sql
