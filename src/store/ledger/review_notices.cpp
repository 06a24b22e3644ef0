/// What a sweep does about reviews that are due.

#include <string>
#include <utility>
#include <vector>

#include "pawl/codec/names.hpp"
#include "store/ledger/subject.hpp"
#include "store/ledger/verbs.hpp"

namespace pawl::store {

namespace {

/// How long a review waits for its next look where nothing may be decided now.
constexpr Duration next_look_after = std::chrono::hours(1);

}  // namespace

void ReviewNotices::give_notice(Review review) {
  const Job* row = rows_.job(review.job);
  require(row != nullptr, "a review has no job");
  if (!is_trusted(row->trust)) {
    // It may be accepted later. Nothing else of it is touched: its import may still be under way.
    return look_again_later(std::move(review));
  }
  TouchedJob& touched = books_.touch_owner(review.job);
  if (const Job& job = *touched.job; job.cancelled) {
    // It may be revived later, unless somebody cancelled it.
    if (is_ended_by_limit(job)) return look_again_later(std::move(review));
    review.notice_at = no_time;
    return rows_.put_review(review);
  }
  const ReviewRules& rules = touched.workflow->stage(stage_of(review.task)).review_rules;
  const std::vector<std::string> before = review.assigned;
  const std::string digest_before = state_digest(rows_, review.id);
  const ReviewNotice notice = take_notice(rules, review, now_);
  log_event(review, {.type = EventType::review_overdue,
                     .code = static_cast<std::int32_t>(notice),
                     .when = review.due_at});
  rows_.put_review(review);
  if (notice == ReviewNotice::escalated) {
    log_event(review,
              {.type = EventType::review_assigned, .text = assignment_text(review.assigned, {})});
  }
  if (review.assigned != before) {
    AuditEntry entry = entry_about(review, "review.escalate");
    entry.details = "to " + assignment_text(review.assigned, {});
    entry.before = digest_before;
    entry.after = state_digest(rows_, review.id);
    books_.audit().note(std::move(entry));
  }
  if (notice == ReviewNotice::rejected) reject_overdue(touched, review);
}

void ReviewNotices::look_again_later(Review review) {
  review.notice_at = now_ + next_look_after;
  rows_.put_review(review);
}

/// The one thing that time decides: it was not approved in time, so the work is not accepted.
void ReviewNotices::reject_overdue(TouchedJob& touched, const Review& review) {
  const Answer rejection = overdue_answer(review);
  AuditEntry entry = entry_about(review, "review.answer");
  entry.details = std::string(name_of(rejection.outcome));
  entry.reason = rejection.note;
  entry.before = state_digest(rows_, review.id);
  rows_.insert_answer({.review = review.id,
                       .number = static_cast<std::uint32_t>(rows_.answers(review.id).size()) + 1,
                       .answer = rejection,
                       .by_kind = ActorKind::engine,
                       .given_at = now_});
  const Status done = answers().make_effective(touched, review, rejection);
  require(done.has_value(), "an overdue review cannot be rejected");
  entry.after = state_digest(rows_, review.id);
  books_.audit().note(std::move(entry));
}

/// What the rules of the workflow do, the engine does.
AuditEntry ReviewNotices::entry_about(const Review& review, std::string act) {
  return {.actor = {.name = std::string(overdue_name), .kind = ActorKind::engine},
          .act = std::move(act),
          .job = review.job,
          .target = text_of(review.id)};
}

}  // namespace pawl::store
