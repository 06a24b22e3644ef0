#include "cli/input/recent_answers.hpp"

#include <algorithm>

#include "pawl/store/records.hpp"

namespace pawl::cli {

Timestamp RecentAnswers::effective_at() const {
  return undo_for_ > Duration::zero() ? store_.now() + undo_for_ : no_time;
}

bool RecentAnswers::add(const Review& review, std::int64_t position) {
  if (review.status != ReviewStatus::answered) return false;
  given_.push_back({views::place_of(review), review.answer->effective_at, position});
  return true;
}

bool RecentAnswers::can_undo() const {
  return !given_.empty() && given_.back().effective_at > store_.now();
}

Duration RecentAnswers::left() const {
  if (given_.empty()) return Duration::zero();
  return std::max(Duration::zero(), given_.back().effective_at - store_.now());
}

Result<RecentAnswers::Given> RecentAnswers::undo() {
  const Given last = given_.back();
  given_.pop_back();
  const Result<Job> done =
      store_.act(UndoAnswer{.review = last.review.review, .by = actor_.name}, actor_);
  if (!done) return std::unexpected(done.error());
  return last;
}

Status RecentAnswers::apply_due() {
  const auto is_due = [&](const Given& one) { return one.effective_at <= store_.now(); };
  return std::erase_if(given_, is_due) == 0 ? Status() : sweep();
}

Status RecentAnswers::apply_left() {
  const auto left = store_.records().reviews({.status = ReviewStatus::answered, .limit = 1});
  if (!left) return std::unexpected(left.error());
  return left->empty() ? Status() : sweep();
}

Status RecentAnswers::sweep() {
  for (;;) {
    const Result<Swept> swept = store_.sweep({});
    if (!swept) return std::unexpected(swept.error());
    if (!swept->more) return {};
  }
}

}  // namespace pawl::cli
