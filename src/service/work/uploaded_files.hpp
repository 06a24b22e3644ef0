#pragma once

/// The files that people have uploaded for the edits of a review. The bytes are in the store; what
/// is kept here, in memory and for a day, is which review each was uploaded for. After a restart of
/// the daemon they have to be uploaded again.
///
/// Threads: every function may be called from any thread at the same time.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"
#include "pawl/store/clock.hpp"

namespace pawl::service {

class UploadedFiles {
 public:
  /// The clock must outlive it.
  explicit UploadedFiles(const Clock& clock) : clock_(clock) {}

  static constexpr std::size_t files_per_review_max = 100;
  static constexpr std::size_t files_max = 10'000;
  static constexpr Duration kept_for = std::chrono::hours(24);

  /// `refused` if the review has too many already: ask before the bytes are stored.
  [[nodiscard]] Status check_room(ReviewId review);
  /// Remembers a file that was stored. If there are too many, forgets the oldest of all.
  void add(ReviewId review, const std::string& sha256, std::int64_t size);
  /// Whether a file of this digest and size was uploaded for the review.
  [[nodiscard]] bool has(ReviewId review, const std::string& sha256, std::int64_t size);

 private:
  struct Upload {
    ReviewId review;
    std::string sha256;
    Timestamp until;
  };
  struct KnownFile {
    std::int64_t size = 0;
    std::size_t uploads = 0;  ///< how many of `in_order_` are of it
  };
  void forget_old();
  void forget_oldest();

  const Clock& clock_;
  std::mutex mutex_;
  std::deque<Upload> in_order_;                                   ///< guarded by mutex_
  std::map<ReviewId, std::map<std::string, KnownFile>> reviews_;  ///< guarded by mutex_
};

}  // namespace pawl::service
