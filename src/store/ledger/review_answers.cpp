/// Answers to reviews: how they count, take effect, and are taken back.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "pawl/store/edits.hpp"
#include "pawl/store/results.hpp"
#include "store/ledger/review_digest.hpp"
#include "store/ledger/subject.hpp"
#include "store/ledger/verbs.hpp"
#include "store/no_such.hpp"

namespace pawl::store {

namespace {

/// An attempt that failed left nothing that could be approved.
Status check_output(const Review& review, const Attempt& attempt, const Answer& given) {
  const bool has_nothing =
      attempt.output.is_null() && attempt.result != AttemptResult::success && !given.edits;
  if (!has_nothing) return {};
  return fail(ErrorCode::invalid,
              "attempt " + std::to_string(attempt.number) + " of " + text_of(review.id) +
                  " has no output that could be approved",
              "name another attempt, give the output yourself with edits, or ask for changes");
}

}  // namespace

Result<Job> ReviewAnswers::carry_out(const AnswerReview& act, const Acting& by) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  if (const Status may = check_may_decide(*review, by.actor, by.standing); !may) {
    return std::unexpected(may.error());
  }
  TouchedJob* touched = books_.touch(review->job);
  if (review->status != ReviewStatus::open) return no_longer_open(*review);
  if (touched->job->cancelled) {
    const bool is_limit = is_ended_by_limit(*touched->job);
    return fail(ErrorCode::refused,
                "the job of " + text_of(act.review) +
                    (is_limit ? " was ended by a limit" : " was cancelled"),
                is_limit
                    ? "let it go on first: pawl job revive " + std::to_string(review->job.value())
                    : std::string());
  }
  if (!act.answer.digest.empty() && act.answer.digest != review->digest) {
    return fail(ErrorCode::conflict, text_of(act.review) + " is about other content than was shown",
                "look at it again: pawl review show " + std::to_string(act.review.value()) +
                    " (its digest is now " + review->digest + ")");
  }
  if (is_claimed_by_other(*review, act.answer.reviewer, now_)) {
    return fail(ErrorCode::conflict, text_of(act.review) + " is claimed by " + review->claimed_by);
  }
  if (act.answer.effective_at > now_ + answer_delay_max) {
    return fail(ErrorCode::invalid, "an answer takes effect within a minute",
                "answer later, or claim the review until then");
  }
  const std::optional<Task> task = rows_.task(review->task);
  require(task.has_value(), "a review has no task");
  const ReviewRules& rules = touched->workflow->stage(task->stage()).review_rules;
  if (is_rejected_by_time(rules, *review, now_)) {
    return fail(ErrorCode::conflict,
                text_of(act.review) + " is rejected because nobody decided it in time");
  }
  std::vector<GivenAnswer> given = rows_.answers(review->id);
  const Result<Ballot> ballot =
      count_answer(rules, *review, given, act.answer, touched->job->submitted_by);
  if (!ballot) return std::unexpected(ballot.error());
  const Answer& counted = ballot->answer;
  // An answer that takes effect later is checked now as well: a bad one is refused at once.
  if (const Status fits = check_answer(*touched, *review, counted); !fits) {
    return std::unexpected(fits.error());
  }

  for (GivenAnswer& earlier : given) {
    if (std::ranges::find(ballot->voided, earlier.number) != ballot->voided.end()) {
      end_answer(earlier, AnswerFate::voided);
      earlier.fate = AnswerFate::voided;
    }
  }
  given.push_back({.review = review->id,
                   .number = static_cast<std::uint32_t>(given.size()) + 1,
                   .answer = counted,
                   .by_kind = by.actor.kind,
                   .given_at = now_});
  rows_.insert_answer(given.back());
  if (ballot->decides && counted.effective_at <= now_) {
    if (const Status done = make_effective(*touched, *review, counted); !done) {
      return std::unexpected(done.error());
    }
    return *touched->job;
  }
  if (ballot->decides) {
    review->status = ReviewStatus::answered;
    review->answer = counted;
  } else {
    // The next person should not have to wait for the claim of this one to run out.
    review->claimed_by.clear();
    review->claimed_until = no_time;
    review->digest = digest_of(*touched, *review, given);
  }
  rows_.put_review(*review);
  log_event(*review, {.type = EventType::review_answered,
                      .code = static_cast<std::int32_t>(counted.outcome),
                      .count = ballot->approvals,
                      .when = counted.effective_at,
                      .text = counted.note,
                      .by = counted.reviewer});
  return *touched->job;
}

/// Whether the answer could take effect now.
Status ReviewAnswers::check_answer(const TouchedJob& touched, const Review& review,
                                   const Answer& given) {
  const std::optional<Task> task = rows_.task(review.task);
  require(task.has_value(), "a review has no task");
  const StageDefinition& stage = touched.workflow->stage(task->stage());
  if (const Result<Step> step = answer(stage, *task, review, given, now_); !step) {
    return std::unexpected(step.error());
  }
  if (given.outcome == ReviewOutcome::request_changes) {
    return reruns().check(touched, changes_target(touched, *task));
  }
  if (!is_approval(given)) return {};
  const std::vector<Attempt> attempts = rows_.attempts(task->id);
  const auto attempt =
      std::ranges::find(attempts, given.attempt.value_or(review.attempt), &Attempt::number);
  require(attempt != attempts.end(), "a checked answer names an attempt that does not exist");
  if (Status has = check_output(review, *attempt, given); !has) return has;
  if (given.outcome != ReviewOutcome::approve_with_edits) return {};
  // The bytes of a payload are not read in a transaction: the store has checked these before it.
  if (is_payload_reference(attempt->output)) return {};
  return check_edits(stage, attempt->output, *given.edits);
}

std::string ReviewAnswers::digest_of(const TouchedJob& touched, const Review& review,
                                     const std::vector<GivenAnswer>& given) {
  const std::optional<Task> task = rows_.task(review.task);
  require(task.has_value(), "a review has no task");
  const std::string shown = review_digest(rows_.attempts(task->id), flow_.input_of(touched, *task));
  const std::optional<ApprovedContent> proposed = proposed_content(review, given);
  return proposed ? review_digest_with(shown, review, *proposed) : shown;
}

void ReviewAnswers::end_answer(GivenAnswer given, AnswerFate fate) {
  given.fate = fate;
  given.ended_at = now_;
  rows_.put_answer(given);
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
  review.notice_at = no_time;
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

Result<Job> ReviewAnswers::carry_out(const UndoAnswer& act, const Acting& by) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  if (by.actor.kind != ActorKind::person) {
    return fail(ErrorCode::forbidden, "only a person takes back an answer");
  }
  std::vector<GivenAnswer> given = rows_.answers(review->id);
  const auto is_theirs = [&](const GivenAnswer& one) {
    return one.fate == AnswerFate::counts && one.answer.reviewer == act.by;
  };
  const bool is_pending =
      review->status == ReviewStatus::open || review->status == ReviewStatus::answered;
  const bool has_any =
      is_pending && (review->answer || std::ranges::any_of(given, [](const GivenAnswer& one) {
                       return one.fate == AnswerFate::counts;
                     }));
  if (!has_any) {
    return fail(ErrorCode::conflict,
                text_of(act.review) + " has no answer that could be taken back");
  }
  // Answers of older stores have no row of their own.
  const auto newest = std::find_if(given.rbegin(), given.rend(), is_theirs);
  const bool has_given = newest != given.rend();
  const bool is_the_answer = review->answer && review->answer->reviewer == act.by;
  const bool is_for_others = review->answer && !is_the_answer && !is_approval(*review->answer);
  if ((!has_given && !is_the_answer) || is_for_others) {
    const std::string who =
        review->answer ? review->answer->reviewer : "the person who gave an answer";
    return fail(ErrorCode::refused,
                "only " + who + " may take back the answer to " + text_of(act.review));
  }
  if (has_given) {
    end_answer(*newest, AnswerFate::withdrawn);
    newest->fate = AnswerFate::withdrawn;
  }
  TouchedJob& touched = books_.touch_owner(review->job);
  review->status = ReviewStatus::open;
  review->answer.reset();
  review->digest = digest_of(touched, *review, given);
  rows_.put_review(*review);
  log_event(*review, {.type = EventType::review_withdrawn, .by = act.by});
  return *touched.job;
}

void ReviewAnswers::reopen(Review review) {
  const TouchedJob& touched = books_.touch_owner(review.job);
  std::vector<GivenAnswer> given = rows_.answers(review.id);
  for (GivenAnswer& one : given) {
    if (one.fate != AnswerFate::counts || one.answer != *review.answer) continue;
    end_answer(one, AnswerFate::voided);
    one.fate = AnswerFate::voided;
  }
  review.status = ReviewStatus::open;
  review.answer.reset();
  review.digest = digest_of(touched, review, given);
  rows_.put_review(review);
}

}  // namespace pawl::store
