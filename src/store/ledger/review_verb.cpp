/// What the verbs about reviews share.

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/joined.hpp"
#include "store/ledger/subject.hpp"
#include "store/ledger/verbs.hpp"

namespace pawl::store {

namespace {

/// Whether two reviews show the same output in the end.
bool shows_same(const std::vector<Attempt>& attempts, const Review& one, const Review& other) {
  const auto shown = [&](const Review& review) {
    return std::ranges::find(attempts, review.attempt, &Attempt::number);
  };
  const auto first = shown(one);
  const auto second = shown(other);
  return first != attempts.end() && second != attempts.end() && first->output == second->output;
}

}  // namespace

std::string ReviewVerb::assignment_text(const std::vector<std::string>& assigned,
                                        const std::string& note) {
  const std::string text = assigned.empty() ? "everybody" : joined(assigned);
  return note.empty() ? text : text + ": " + note;
}

std::unexpected<Error> ReviewVerb::no_longer_open(const Review& review) {
  if (review.status != ReviewStatus::superseded) {
    if (review.answer->reviewer == overdue_name) {
      return fail(ErrorCode::conflict,
                  text_of(review.id) + " was rejected because nobody decided it in time");
    }
    return fail(ErrorCode::conflict,
                text_of(review.id) + " was already answered by " + review.answer->reviewer);
  }
  const std::string message = text_of(review.id) + " was superseded: the work has moved on";
  const std::optional<Review> newer = rows_.pending_review(review.task);
  if (!newer) return fail(ErrorCode::conflict, message);
  const std::string number = std::to_string(newer->id.value());
  if (!shows_same(rows_.attempts(review.task), review, *newer)) {
    return fail(ErrorCode::conflict, message,
                "look at what it came to: pawl review show " + number);
  }
  return fail(ErrorCode::conflict, message + ", but its output is the same",
              "give the same answer to " + text_of(newer->id) + ": pawl review approve " + number +
                  " (digest " + newer->digest + ")");
}

void ReviewVerb::log_event(const Review& review, Event event) {
  event.item = review.item;
  event.task = review.task;
  event.attempt = review.attempt;
  books_.log(review.job, std::span(&event, 1));
}

}  // namespace pawl::store
