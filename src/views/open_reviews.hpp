#pragma once

/// The open reviews that a person may decide: those that are assigned to the person or to nobody,
/// that nobody else has claimed, and that need another approval than theirs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/review.hpp"
#include "pawl/store/records.hpp"

namespace pawl::views {

/// A person, by name and groups.
struct Reviewer {
  std::string name;
  std::vector<std::string> groups;

  /// What reviews are assigned to: the name, and "group:NAME" for each group.
  [[nodiscard]] std::vector<std::string> addresses() const;
};
[[nodiscard]] Result<Reviewer> reviewer_of(Store& store, const Actor& actor);

/// A place in the order of the reviews: by due time, those without one last, then by number.
struct ReviewPlace {
  Timestamp due_at;
  ReviewId review;  ///< none: before the first
};
[[nodiscard]] inline ReviewPlace place_of(const Review& review) {
  return {review.due_at, review.id};
}

/// The first such review after this place. Job 0: of all jobs.
[[nodiscard]] Result<std::optional<Review>> next_open_review(Records& records, JobId job,
                                                             const ReviewPlace& after,
                                                             const Reviewer& reviewer,
                                                             Timestamp now);

/// Reviews beyond this number are not counted.
inline constexpr std::int64_t counted_reviews_max = 1'000;

/// How many such reviews come after this place, up to `counted_reviews_max`.
[[nodiscard]] Result<std::int64_t> count_open_reviews(Records& records, JobId job,
                                                      const ReviewPlace& after,
                                                      const Reviewer& reviewer, Timestamp now);

}  // namespace pawl::views
