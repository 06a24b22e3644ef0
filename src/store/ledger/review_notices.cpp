/// What a sweep does about reviews that are due.

#include <string>
#include <utility>

#include "pawl/codec/names.hpp"
#include "store/ledger/subject.hpp"
#include "store/ledger/verbs.hpp"

namespace pawl::store {

namespace {

/// How long a review waits for its next look where nothing may be decided now.
constexpr Duration next_look_after = std::chrono::hours(1);

}  // namespace

void ReviewNotices::give_notice(Review review) {
  TouchedJob& touched = books_.touch_owner(review.job);
  const Job& job = *touched.job;
  if (job.cancelled || !is_trusted(job.trust)) {
    // Nothing is decided here now, but the job may be accepted or revived later. A job that
    // somebody cancelled never goes on.
    const bool may_go_on = !job.cancelled || is_ended_by_limit(job);
    review.notice_at = may_go_on ? now_ + next_look_after : no_time;
    rows_.put_review(review);
    return;
  }
  const ReviewRules& rules = touched.workflow->stage(stage_of(review.task)).review_rules;
  const ReviewNotice notice = take_notice(rules, review, now_);
  log_event(review, {.type = EventType::review_overdue,
                     .code = static_cast<std::int32_t>(notice),
                     .when = review.due_at});
  if (notice == ReviewNotice::escalated) {
    log_event(review,
              {.type = EventType::review_assigned, .text = assignment_text(review.assigned, {})});
  }
  rows_.put_review(review);
  if (notice == ReviewNotice::rejected) reject_overdue(touched, review);
}

/// The one thing that time decides: nobody answered, so the work is not accepted.
void ReviewNotices::reject_overdue(TouchedJob& touched, const Review& review) {
  const Answer rejection = overdue_answer(review);
  rows_.insert_answer({.review = review.id,
                       .number = static_cast<std::uint32_t>(rows_.answers(review.id).size()) + 1,
                       .answer = rejection,
                       .by_kind = ActorKind::engine,
                       .given_at = now_});
  AuditEntry entry{.actor = {.name = std::string(overdue_name), .kind = ActorKind::engine},
                   .act = "review.answer",
                   .job = review.job,
                   .target = text_of(review.id),
                   .details = std::string(name_of(rejection.outcome)),
                   .reason = rejection.note,
                   .before = standing_digest(rows_, review.id)};
  const Status done = answers().make_effective(touched, review, rejection);
  require(done.has_value(), "an overdue review cannot be rejected");
  entry.after = standing_digest(rows_, review.id);
  books_.audit().note(std::move(entry));
}

}  // namespace pawl::store
