#include "cli/input/open_reviews.hpp"

#include <map>

#include "pawl/store/each_row.hpp"
#include "views/reviews.hpp"

namespace pawl::cli {
namespace {

constexpr std::uint32_t page_size = 100;

/// Whether somebody else is at the review.
bool is_taken(const Review& review, const std::string& person, Timestamp now) {
  return !review.claimed_by.empty() && review.claimed_by != person && review.claimed_until > now;
}

}  // namespace

Result<std::optional<Review>> next_open_review(Records& records, JobId job, ReviewId after,
                                               const std::string& person, Timestamp now) {
  std::optional<Review> next;
  const ReviewFilter open{
      .job = job, .status = ReviewStatus::open, .after = after, .limit = page_size};
  const Status read = each_row(records, open, [&](const Review& review) -> Result<bool> {
    if (is_taken(review, person, now)) return true;
    const Result<bool> asked = views::is_asked(records, review);
    if (!asked) return std::unexpected(asked.error());
    if (*asked) next = review;
    return !*asked;
  });
  if (!read) return std::unexpected(read.error());
  return next;
}

Result<std::int64_t> count_open_reviews(Records& records, JobId job, ReviewId after,
                                        const std::string& person, Timestamp now) {
  std::int64_t count = 0;
  std::map<JobId, bool> asked;  // whether the reviews of a job need answers
  const ReviewFilter open{
      .job = job, .status = ReviewStatus::open, .after = after, .limit = page_size};
  const Status read = each_row(records, open, [&](const Review& review) -> Result<bool> {
    if (is_taken(review, person, now)) return true;
    auto known = asked.find(review.job);
    if (known == asked.end()) {
      const Result<bool> is = views::is_asked(records, review);
      if (!is) return std::unexpected(is.error());
      known = asked.emplace(review.job, *is).first;
    }
    if (known->second) ++count;
    return count < counted_reviews_max;
  });
  if (!read) return std::unexpected(read.error());
  return count;
}

}  // namespace pawl::cli
