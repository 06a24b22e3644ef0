#include "store/verify/standing.hpp"

#include <algorithm>

#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "store/verify/facts.hpp"

namespace pawl::store {

namespace {

/// The newest closed attempt of the task's epoch; null: none was closed since it began.
const Attempt* newest_of(const Task& task, std::span<const Attempt> attempts) {
  return !attempts.empty() && attempts.back().epoch == task.epoch ? &attempts.back() : nullptr;
}

/// One overload for each state.
class Standing {
 public:
  Standing(const StageDefinition& stage, const Task& task, std::span<const Attempt> attempts,
           std::span<const Review> closed, bool may_be_by_hand, Findings& findings)
      : stage_(stage),
        task_(task),
        attempts_(attempts),
        closed_(closed),
        may_be_by_hand_(may_be_by_hand),
        newest_(newest_of(task, attempts)),
        findings_(findings) {}

  void operator()(const Waiting&) const {
    if (newest_ != nullptr) does_not_follow();
  }
  void operator()(const Ready&) const { check_next_attempt(); }
  void operator()(const Running&) const { check_next_attempt(); }

  void operator()(const RetryScheduled& state) const {
    if (!was_decided(DecisionKind::retry)) return does_not_follow();
    if (state.next_run_at == newest_->decision.next_run_at) return;
    findings_.add("I9", say(name(), " is scheduled for ", rfc3339(state.next_run_at), ", where ",
                            decision_in_words(), " for ", rfc3339(newest_->decision.next_run_at)));
  }

  void operator()(const AwaitingReview& state) const {
    if (was_decided(DecisionKind::review) && state.reason == newest_->decision.review_reason) {
      return;
    }
    does_not_follow();
  }

  void operator()(const Expanded&) const {
    if (!has_expanded()) does_not_follow();
  }

  void operator()(const Succeeded& state) const {
    if (was_decided(DecisionKind::review)) return check_approval(state);
    const bool is_done = attempts_.empty() || is_imported() ||
                         was_decided(DecisionKind::complete) || was_decided(DecisionKind::expand);
    if (is_done && state.attempt == task_.attempts && !state.edited_by) return;
    does_not_follow("I7", say(" with the output of attempt ", state.attempt));
  }

  void operator()(const Skipped& state) const {
    if (state.reason == SkipReason::upstream_failed) {
      if (newest_ != nullptr) does_not_follow();
      return;
    }
    // A person may skip whatever waits: for a claim, a retry or a reviewer.
    const bool waited = newest_ == nullptr || is_imported() || was_decided(DecisionKind::retry) ||
                        was_decided(DecisionKind::review) || has_expanded();
    if (may_be_by_hand_ && waited) return;
    // A condition is asked before an attempt, the next one too.
    const bool may_be_asked = stage_.conditional && !task_.child;
    const bool before_an_attempt =
        newest_ == nullptr || is_imported() || was_decided(DecisionKind::retry);
    if (was_decided(DecisionKind::skip) || (may_be_asked && before_an_attempt)) return;
    does_not_follow("I7", " by choice");
  }

  void operator()(const Failed& state) const {
    switch (state.cause) {
      case FailCause::tolerance:
        if (task_.expansion > 0) return;
        break;
      case FailCause::rejected_by_review:
        if (!was_decided(DecisionKind::review)) break;
        if (find_answer({ReviewOutcome::reject}) != nullptr) return;
        findings_.add("I8", say(name(), " was rejected by a review, and no review says so"));
        return;
      case FailCause::final_error:
      case FailCause::exhausted:
      case FailCause::marked_dead:
      case FailCause::rate_limit:
      case FailCause::interruptions:
        if (was_decided(DecisionKind::fail) && newest_->decision.fail_cause == state.cause) return;
        if (state.cause == FailCause::exhausted && (attempts_.empty() || is_imported())) return;
        break;
    }
    does_not_follow("I6", say(" as ", name_of(state.cause)));
  }

  void operator()(const Cancelled& state) const {
    if (was_decided(DecisionKind::cancel)) {
      if (state.cause != newest_->decision.cancel_cause) does_not_follow();
      return;
    }
    // What had ended is not cancelled, unless its children run again.
    const bool had_ended = was_decided(DecisionKind::complete) || was_decided(DecisionKind::fail) ||
                           was_decided(DecisionKind::skip);
    if (had_ended && task_.expansion == 0) does_not_follow();
  }

 private:
  [[nodiscard]] bool is_imported() const {
    return newest_ != nullptr && store::is_imported(*newest_);
  }
  [[nodiscard]] bool was_decided(DecisionKind kind) const {
    return newest_ != nullptr && !is_imported() && newest_->decision.kind == kind;
  }
  [[nodiscard]] bool has_expanded() const {
    return std::ranges::any_of(attempts_, [this](const Attempt& attempt) {
      return attempt.epoch == task_.epoch && attempt.decision.kind == DecisionKind::expand;
    });
  }

  /// Before any attempt of its epoch; after one that is tried again; or to join its children, also
  /// such that were run again after it had ended.
  void check_next_attempt() const {
    if (newest_ == nullptr || is_imported()) return;
    if (task_.cause == Cause::join && has_expanded()) return;
    if (was_decided(DecisionKind::retry) && task_.cause == newest_->decision.next_cause) return;
    does_not_follow();
  }

  void check_approval(const Succeeded& state) const {
    const Review* review = find_answer({ReviewOutcome::approve, ReviewOutcome::approve_with_edits});
    if (review == nullptr) {
      findings_.add("I8", say(name(), " awaited a review and is succeeded, and no review says so"));
      return;
    }
    const AttemptNumber approved = review->answer->attempt.value_or(review->attempt);
    if (state.attempt != approved) {
      findings_.add("I7",
                    say(name(), " is succeeded with the output of attempt ", state.attempt,
                        ", where review ", review->id.value(), " approved attempt ", approved));
    }
    const bool edited = review->answer->outcome == ReviewOutcome::approve_with_edits;
    if (state.edited_by == (edited ? review->id : ReviewId{})) return;
    findings_.add("I8", say(name(), " is succeeded ",
                            state.edited_by ? say("as review ", state.edited_by.value(), " edited")
                                            : std::string("without edits"),
                            ", where review ", review->id.value(), " was closed with ",
                            name_of(review->answer->outcome)));
  }

  [[nodiscard]] const Review* find_answer(std::initializer_list<ReviewOutcome> outcomes) const {
    const auto found = std::ranges::find_if(closed_, [&](const Review& review) {
      return review.epoch == task_.epoch && review.answer &&
             std::ranges::count(outcomes, review.answer->outcome) > 0;
    });
    return found == closed_.end() ? nullptr : &*found;
  }

  [[nodiscard]] std::string name() const { return say("task ", task_.id.value()); }
  [[nodiscard]] std::string decision_in_words() const {
    if (newest_ == nullptr) return say("no attempt of its epoch ", task_.epoch, " has ended");
    return say("attempt ", newest_->number, " was decided as ", name_of(newest_->decision.kind));
  }
  void does_not_follow(std::string_view invariant = "I6", std::string_view how = "") const {
    findings_.add(invariant,
                  say(name(), " is ", name_of(task_.kind()), how, ", where ", decision_in_words()));
  }

  const StageDefinition& stage_;
  const Task& task_;
  std::span<const Attempt> attempts_;
  std::span<const Review> closed_;
  bool may_be_by_hand_;
  const Attempt* newest_;
  Findings& findings_;
};

}  // namespace

bool rests_on_answer(const Task& task, std::span<const Attempt> attempts) {
  const Attempt* newest = newest_of(task, attempts);
  return (task.kind() == StateKind::succeeded || task.kind() == StateKind::failed) &&
         newest != nullptr && newest->decision.kind == DecisionKind::review;
}

void check_standing(const StageDefinition& stage, const Task& task,
                    std::span<const Attempt> attempts, std::span<const Review> closed,
                    bool may_be_by_hand, Findings& findings) {
  findings.about(task);
  std::visit(Standing(stage, task, attempts, closed, may_be_by_hand, findings), task.state);
}

}  // namespace pawl::store
