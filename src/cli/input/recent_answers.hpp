#pragma once

/// The answers of one person that can still be taken back.

#include <cstdint>
#include <utility>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/review.hpp"
#include "pawl/store/store.hpp"
#include "views/open_reviews.hpp"

namespace pawl::cli {

using views::ReviewPlace;

/// In the order in which they were given.
class RecentAnswers {
 public:
  RecentAnswers(Store& store, Actor actor, Duration undo_for)
      : store_(store), actor_(std::move(actor)), undo_for_(undo_for) {}

  [[nodiscard]] Duration undo_for() const { return undo_for_; }
  /// When an answer that is given now takes effect; none: immediately.
  [[nodiscard]] Timestamp effective_at() const;
  /// `position` is the place of the review in the sitting. False if the answer cannot be taken back
  /// here: it took effect at once, or it is an approval and others have to follow.
  bool add(const Review& review, std::int64_t position);
  /// Whether the last answer can still be taken back.
  [[nodiscard]] bool can_undo() const;
  /// The review of the last answer. REQUIRES: there is one.
  [[nodiscard]] ReviewId last() const { return given_.back().review.review; }
  /// How long until the last answer takes effect.
  [[nodiscard]] Duration left() const;

  struct Given {
    ReviewPlace review;
    Timestamp effective_at;
    std::int64_t position = 0;
  };
  /// Takes the last answer back and returns what it was about. REQUIRES: there is one.
  [[nodiscard]] Result<Given> undo();

  /// Makes the answers effective whose time has come. A worker does the same, but none may run.
  [[nodiscard]] Status apply_due();
  /// The same for answers that somebody gave before and left.
  [[nodiscard]] Status apply_left();

 private:
  [[nodiscard]] Status sweep();

  Store& store_;
  Actor actor_;
  Duration undo_for_;
  std::vector<Given> given_;
};

}  // namespace pawl::cli
