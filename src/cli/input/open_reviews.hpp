#pragma once

/// The open reviews that a person may decide: those that nobody else has claimed.

#include <cstdint>
#include <optional>
#include <string>

#include "pawl/core/review.hpp"
#include "pawl/store/records.hpp"

namespace pawl::cli {

/// The oldest open review after this one that nobody else has claimed. Job 0: of all jobs.
[[nodiscard]] Result<std::optional<Review>> next_open_review(Records& records, JobId job,
                                                             ReviewId after,
                                                             const std::string& person,
                                                             Timestamp now);

/// Reviews beyond this number are not counted.
inline constexpr std::int64_t counted_reviews_max = 1'000;

/// How many open reviews after this one nobody else has claimed, up to `counted_reviews_max`.
[[nodiscard]] Result<std::int64_t> count_open_reviews(Records& records, JobId job, ReviewId after,
                                                      const std::string& person, Timestamp now);

}  // namespace pawl::cli
