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

/// A list in the order of the due times, as two statements: what is due at the time of the cursor
/// and comes after it, and what is due later. SQLite does not look up a pair (due_at, id) in an
/// index: it would read everything that is due at the time of the cursor, and most reviews are
/// never due.
struct List {
  const char* at_cursor;  ///< the due time, the review, the limit, and what the list is of
  const char* later;      ///< the due time, the latest due time, the limit, and the same
};

constexpr char at_cursor[] = "due_at = ?1 AND id > ?2 ORDER BY due_at, id LIMIT ?3";
constexpr char later[] = "due_at > ?1 AND due_at <= ?2 ORDER BY due_at, id LIMIT ?3";

constexpr auto from_all = joined("SELECT ", review_columns,
                                 " FROM reviews INDEXED BY reviews_by_due WHERE status < 3 AND ");
constexpr auto all_at_cursor = joined(from_all, at_cursor);
constexpr auto all_later = joined(from_all, later);
constexpr List all{.at_cursor = all_at_cursor, .later = all_later};

constexpr auto from_open_to_all =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_open_to_all WHERE status < 3 AND assigned IS NULL "
           "AND ");
constexpr auto open_to_all_at_cursor = joined(from_open_to_all, at_cursor);
constexpr auto open_to_all_later = joined(from_open_to_all, later);
constexpr List open_to_all{.at_cursor = open_to_all_at_cursor, .later = open_to_all_later};

constexpr auto from_job =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_of_job_by_due WHERE status < 3 AND job = ?4 AND ");
constexpr auto of_job_at_cursor = joined(from_job, at_cursor);
constexpr auto of_job_later = joined(from_job, later);
constexpr List of_job{.at_cursor = of_job_at_cursor, .later = of_job_later};

constexpr auto from_claimed =
    joined("SELECT ", review_columns,
           " FROM reviews INDEXED BY reviews_claimed WHERE status = 1 AND claimed_by IS NOT NULL "
           "AND claimed_by = ?4 AND ");
constexpr auto claimed_at_cursor = joined(from_claimed, at_cursor);
constexpr auto claimed_later = joined(from_claimed, later);
constexpr List claimed{.at_cursor = claimed_at_cursor, .later = claimed_later};

// CROSS JOIN keeps SQLite from beginning with the reviews.
constexpr auto from_assigned =
    joined("SELECT ", review_columns,
           " FROM review_queue CROSS JOIN reviews WHERE reviews.id = review_queue.review "
           "AND assignee = ?4 AND ");
constexpr auto assigned_at_cursor =
    joined(from_assigned, "due = ?1 AND review > ?2 ORDER BY due, review LIMIT ?3");
constexpr auto assigned_later =
    joined(from_assigned, "due > ?1 AND due <= ?2 ORDER BY due, review LIMIT ?3");
constexpr List assigned_to{.at_cursor = assigned_at_cursor, .later = assigned_later};

/// The next reviews of the lists that the filter names. Some of them may not match the rest of it.
std::vector<Review> next_reviews(Session& session, const InboxFilter& filter, Place after,
                                 std::uint32_t max) {
  const std::int64_t latest =
      filter.overdue_at == no_time ? INT64_MAX : due_column(filter.overdue_at);
  std::vector<Review> reviews;
  const auto take = [&](const char* sql, const auto&... values) {
    Cursor row = session.prepared(sql).query(values...);
    while (row.next()) reviews.push_back(review_of(row));
  };
  const auto add = [&](const List& list, const auto&... of_what) {
    const std::size_t end = reviews.size() + max;
    if (after.review && after.due <= latest) {
      take(list.at_cursor, after.due, after.review, max, of_what...);
    }
    if (reviews.size() < end) {
      take(list.later, after.due, latest, end - reviews.size(), of_what...);
    }
  };
  if (!filter.claimed_by.empty()) {
    add(claimed, filter.claimed_by);
  } else if (filter.job) {
    add(of_job, filter.job);
  } else if (filter.assigned_to.empty()) {
    add(all);
  } else {
    for (const std::string& name : filter.assigned_to) add(assigned_to, name);
    if (filter.open_to_all) add(open_to_all);
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
