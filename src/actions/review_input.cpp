#include "actions/review_input.hpp"

#include <utility>

#include "actions/recorded_input.hpp"

namespace pawl::actions {

Result<views::ShownReview> load_review_with_input(Records& records, ReviewId id, Timestamp now) {
  Result<views::ShownReview> shown = views::load_review(records, id, now);
  if (!shown) return shown;
  Result<Json> in = recorded_input(records, {.job = shown->job,
                                             .workflow = shown->workflow,
                                             .item = shown->item ? &*shown->item : nullptr,
                                             .task = shown->task});
  if (in) {
    shown->in = std::move(*in);
  } else if (in.error().code == ErrorCode::unavailable) {
    return std::unexpected(std::move(in.error()));
  } else {
    shown->in_fault = in.error().message;
  }
  return shown;
}

}  // namespace pawl::actions
