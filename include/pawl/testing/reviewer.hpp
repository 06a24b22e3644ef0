#pragma once

/// A scripted reviewer who answers reviews in virtual time.
///
///   Reviewer("grace").asks_for_changes("shorter, please", 1h).approves_after(3 * 24h)
///
/// The n-th review of a task gets the n-th answer; the last answer is repeated. `item` restricts
/// the answers after it to one item.

#include <string>
#include <utility>
#include <vector>

#include "pawl/core/review.hpp"
#include "pawl/testing/script.hpp"

namespace pawl::testing {

class Reviewer {
 public:
  explicit Reviewer(std::string name = "reviewer") : name_(std::move(name)) {}

  Reviewer& approves() { return approves_after(Duration{0}); }
  /// Approves this long after the review was opened.
  Reviewer& approves_after(Duration time) {
    return then({.outcome = ReviewOutcome::approve}, time);
  }
  /// Approves this output instead of the one shown.
  Reviewer& edits(Json output, Duration after = {}) {
    return then({.outcome = ReviewOutcome::approve_with_edits, .edits = std::move(output)}, after);
  }
  Reviewer& asks_for_changes(std::string note, Duration after = {}) {
    return then({.outcome = ReviewOutcome::request_changes, .note = std::move(note)}, after);
  }
  Reviewer& rejects(std::string note, Duration after = {}) {
    return then({.outcome = ReviewOutcome::reject, .note = std::move(note)}, after);
  }
  /// The answers after this are for this item only.
  Reviewer& item(std::string key) {
    answers_.item(std::move(key));
    return *this;
  }

  struct Timed {
    Answer answer;
    Duration after{0};
  };
  /// Null: this reviewer leaves the review to others.
  [[nodiscard]] const Timed* find(const std::string& item, std::uint32_t which) const {
    return answers_.find(item, which);
  }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::vector<ScriptOf<Timed>::InVain> said_in_vain() const {
    return answers_.said_in_vain();
  }

 private:
  Reviewer& then(Answer answer, Duration after) {
    answer.reviewer = name_;
    answers_.then({.answer = std::move(answer), .after = after});
    return *this;
  }

  std::string name_;
  ScriptOf<Timed> answers_;
};

}  // namespace pawl::testing
