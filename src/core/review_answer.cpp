#include <string>
#include <utility>

#include "core/ending.hpp"
#include "pawl/core/step.hpp"

namespace pawl {
namespace {

std::unexpected<Error> invalid(std::string message, std::string help = {}) {
  return fail(ErrorCode::invalid, std::move(message), std::move(help));
}

std::string named(const Review& review) { return "review " + std::to_string(review.id.value()); }

/// The attempt whose output the answer approves.
Result<AttemptNumber> approved_attempt(const Task& task, const Review& review,
                                       const Answer& answer) {
  const AttemptNumber attempt = answer.attempt.value_or(review.attempt);
  if (attempt >= 1 && attempt <= task.attempts) return attempt;
  return invalid(named(review) + ": no such attempt: " + std::to_string(attempt),
                 "attempts are 1 to " + std::to_string(task.attempts));
}

Status check(const StageDefinition& stage, const Task& task, const Review& review,
             const Answer& answer) {
  if (task.kind() != StateKind::awaiting_review) {
    return fail(ErrorCode::conflict,
                named(review) + ": stage '" + stage.name + "' of its item no longer awaits review");
  }
  switch (answer.outcome) {
    case ReviewOutcome::approve:
      if (answer.edits) {
        return invalid(named(review) + ": an approval without edits carries edits",
                       "use approve_with_edits");
      }
      break;
    case ReviewOutcome::approve_with_edits:
      if (!answer.edits) return invalid(named(review) + ": approve_with_edits needs edits");
      break;
    case ReviewOutcome::request_changes:
      if (answer.note.empty()) {
        return invalid(named(review) + ": request_changes needs a note",
                       "it becomes the feedback of the next attempt");
      }
      if (!stage.takes_changes()) {
        return invalid(
            named(review) + ": human stage '" + stage.name + "' has nothing to run again",
            "name an upstream stage in changes_rerun");
      }
      break;
    case ReviewOutcome::reject:
      if (answer.note.empty()) return invalid(named(review) + ": reject needs a note");
      break;
  }
  return {};
}

}  // namespace

bool ends_item(const StageDefinition& stage, const Task& task, const Answer& answer) {
  return answer.outcome == ReviewOutcome::reject && stage.rejected == OnRejected::end_item &&
         task.item && !task.child;
}

Result<Step> answer(const StageDefinition& stage, const Task& task, const Review& review,
                    const Answer& answer, Timestamp) {
  if (const Status fits = check(stage, task, review, answer); !fits) {
    return std::unexpected(fits.error());
  }
  Step step = step_from(task);
  Event decided =
      event_of(task, EventType::review_decided, answer.attempt.value_or(review.attempt));
  decided.code = static_cast<std::int32_t>(answer.outcome);
  decided.text = answer.note;
  decided.by = answer.reviewer;
  step.events.push_back(std::move(decided));

  switch (answer.outcome) {
    case ReviewOutcome::approve:
    case ReviewOutcome::approve_with_edits: {
      const Result<AttemptNumber> attempt = approved_attempt(task, review, answer);
      if (!attempt) return std::unexpected(attempt.error());
      const bool edited = answer.outcome == ReviewOutcome::approve_with_edits;
      succeed(step, {.attempt = *attempt, .edited_by = edited ? review.id : ReviewId{}});
      break;
    }
    case ReviewOutcome::reject:
      if (ends_item(stage, task, answer)) break;  // the end of the item moves the task
      fail(step, stage, FailCause::rejected_by_review, answer.note);
      break;
    case ReviewOutcome::request_changes:
      break;  // the rerun that follows moves the task
  }
  return step;
}

}  // namespace pawl
