/// Carries out what reviewers do.

#include <algorithm>
#include <string>

#include "pawl/codec/json.hpp"
#include "store/ledger/verbs.hpp"
#include "store/no_such.hpp"

namespace pawl::store {

namespace {

std::string named(ReviewId review) { return "review " + std::to_string(review.value()); }

std::unexpected<Error> no_longer_open(const Review& review) {
  if (review.status == ReviewStatus::superseded) {
    return fail(ErrorCode::conflict, named(review.id) + " was superseded: the work has moved on");
  }
  return fail(ErrorCode::conflict,
              named(review.id) + " was already answered by " + review.answer->reviewer);
}

}  // namespace

Result<Job> ReviewAnswers::carry_out(const AnswerReview& act) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  TouchedJob* touched = books_.touch(review->job);
  if (review->status != ReviewStatus::open) return no_longer_open(*review);
  if (touched->job->cancelled) {
    const bool is_limit = is_ended_by_limit(*touched->job);
    return fail(
        ErrorCode::refused,
        "the job of " + named(act.review) + (is_limit ? " was ended by a limit" : " was cancelled"),
        is_limit ? "let it go on first: pawl job revive " + std::to_string(review->job.value())
                 : std::string());
  }
  if (!act.answer.digest.empty() && act.answer.digest != review->digest) {
    return fail(ErrorCode::conflict, named(act.review) + " is about other content than was shown",
                "look at it again");
  }
  if (!review->claimed_by.empty() && review->claimed_by != act.answer.reviewer &&
      review->claimed_until > now_) {
    return fail(ErrorCode::conflict, named(act.review) + " is claimed by " + review->claimed_by);
  }
  const std::optional<Task> task = rows_.task(review->task);
  require(task.has_value(), "a review has no task");
  const StageDefinition& stage = touched->workflow->stage(task->stage());
  // An answer that takes effect later is checked now as well: a bad one is refused at once.
  if (const Result<Step> step = answer(stage, *task, *review, act.answer, now_); !step) {
    return std::unexpected(step.error());
  }
  if (const Status edits = check_edits(stage, *task, *review, act.answer); !edits) {
    return std::unexpected(edits.error());
  }
  if (act.answer.outcome == ReviewOutcome::request_changes) {
    const Status may = reruns().check(*touched, changes_target(*touched, *task));
    if (!may) return std::unexpected(may.error());
  }
  if (act.answer.effective_at > now_) {
    review->status = ReviewStatus::answered;
    review->answer = act.answer;
    rows_.put_review(*review);
    return *touched->job;
  }
  if (const Status done = make_effective(*touched, *review, act.answer); !done) {
    return std::unexpected(done.error());
  }
  return *touched->job;
}

/// Edits replace the output, so they must have its shape: only editable fields may change, and no
/// field may be new.
Status ReviewAnswers::check_edits(const StageDefinition& stage, const Task& task,
                                  const Review& review, const Answer& given) {
  if (given.outcome != ReviewOutcome::approve_with_edits) return {};
  const AttemptNumber chosen = given.attempt.value_or(review.attempt);
  const std::vector<Attempt> attempts = rows_.attempts(task.id);
  const auto attempt = std::ranges::find(attempts, chosen, &Attempt::number);
  require(attempt != attempts.end(), "a checked answer names an attempt that does not exist");
  if (stage.editable.empty() || !is_object(attempt->output)) return {};
  if (!is_object(*given.edits)) {
    return fail(ErrorCode::invalid, "the edits of " + named(review.id) + " must be a JSON object");
  }
  for (const auto& [field, value] : members(*given.edits)) {
    const Result<Json> original = JsonView(attempt->output)[field].json();
    const bool editable = std::ranges::count(stage.editable, field) > 0;
    if (!editable && (!original || canonical(*original) != canonical(value))) {
      std::string allowed;
      for (const std::string& name : stage.editable)
        allowed += (allowed.empty() ? "" : ", ") + name;
      return fail(ErrorCode::invalid,
                  "field '" + field + "' of stage '" + stage.name + "' may not be edited",
                  "editable: " + allowed);
    }
  }
  for (const auto& [field, value] : members(attempt->output)) {
    if (!JsonView(*given.edits)[field].exists()) {
      return fail(ErrorCode::invalid, "the edits leave out field '" + field + "'",
                  "send the whole output, changed where you want it");
    }
  }
  return {};
}

Status ReviewAnswers::make_effective(TouchedJob& touched, Review review, const Answer& given) {
  const std::optional<Task> task = rows_.task(review.task);
  require(task.has_value(), "a review has no task");
  const StageDefinition& stage = touched.workflow->stage(task->stage());
  Result<Step> step = answer(stage, *task, review, given, now_);
  if (!step) return std::unexpected(step.error());
  const bool goes_back = given.outcome == ReviewOutcome::request_changes;
  const Task back_to = goes_back ? changes_target(touched, *task) : *task;
  if (goes_back) {
    if (const Status may = reruns().check(touched, back_to); !may) return may;
  }
  review.status = ReviewStatus::closed;
  review.answer = given;
  review.closed_at = now_;
  rows_.put_review(review);
  if (ends_item(stage, *task, given)) {
    books_.log(review.job, step->events);
    flow_.end_item(touched, review.item, CancelCause::rejected);
    return {};
  }
  if (!goes_back) {
    const StepAnswer applied = flow_.apply(*step);
    require(applied.outcome == StepOutcome::applied, "a row changed inside its own transaction");
    return {};
  }
  books_.log(review.job, step->events);
  const RerunReason reason{
      .cause = Cause::review_changes,
      .feedback = Feedback{.summary = given.note, .criteria = {}, .guidance = {}},
      .by = given.reviewer};
  return reruns().rerun(touched, back_to, reason);
}

/// The task that runs again when changes are asked of this one: itself, or the upstream stage that
/// its stage names. A child's upstream is that of its item.
Task ReviewAnswers::changes_target(const TouchedJob& touched, const Task& task) {
  const StageDefinition& stage = touched.workflow->stage(task.stage());
  if (stage.changes_rerun.empty()) return task;
  const std::optional<StageIndex> upstream = touched.workflow->find(stage.changes_rerun);
  require(upstream.has_value(), "a checked workflow names an unknown stage");
  const std::int64_t ordinal = task.child ? ordinal_of(task.child->parent) : ordinal_of(task.id);
  const std::optional<Task> target = rows_.task(task_id(ordinal, *upstream));
  require(target.has_value(), "a stage ran before the one it needs");
  return *target;
}

Result<Job> ReviewAnswers::carry_out(const UndoAnswer& act) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  if (review->status != ReviewStatus::answered) {
    return fail(ErrorCode::conflict, named(act.review) + " has no answer that could be taken back");
  }
  if (review->answer->reviewer != act.by) {
    return fail(ErrorCode::refused, "only " + review->answer->reviewer +
                                        " may take back the answer to " + named(act.review));
  }
  review->status = ReviewStatus::open;
  review->answer.reset();
  rows_.put_review(*review);
  return *books_.touch(review->job)->job;
}

Result<Job> ReviewAnswers::carry_out(const ClaimReview& act) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  if (review->status != ReviewStatus::open) return no_longer_open(*review);
  if (act.by.empty()) return fail(ErrorCode::invalid, "a review is claimed by somebody");
  if (!review->claimed_by.empty() && review->claimed_by != act.by && review->claimed_until > now_) {
    return fail(ErrorCode::conflict, named(act.review) + " is claimed by " + review->claimed_by);
  }
  review->claimed_by = act.by;
  review->claimed_until = act.until;
  rows_.put_review(*review);
  return *books_.touch(review->job)->job;
}

Result<Job> ReviewAnswers::carry_out(const ReleaseReview& act) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  if (review->claimed_by != act.by) {
    return fail(ErrorCode::conflict, named(act.review) + " is not claimed by " + act.by);
  }
  review->claimed_by.clear();
  review->claimed_until = no_time;
  rows_.put_review(*review);
  return *books_.touch(review->job)->job;
}

}  // namespace pawl::store
