/// Who works on a review: claims, and assignments to others.

#include <optional>
#include <string>
#include <vector>

#include "store/ledger/subject.hpp"
#include "store/ledger/verbs.hpp"
#include "store/no_such.hpp"

namespace pawl::store {

Result<Job> ReviewClaims::carry_out(const ClaimReview& act, const Acting& by) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  if (act.by.empty()) return fail(ErrorCode::invalid, "a review is claimed by somebody");
  // Whoever takes over a claim may do so for reviews of others as well.
  Status may = act.steal ? Status() : check_may_decide(*review, by.actor, by.standing);
  if (may && by.actor.kind != ActorKind::person) {
    may = fail(ErrorCode::forbidden, "only a person claims a review");
  }
  if (!may) return std::unexpected(may.error());
  if (review->status != ReviewStatus::open) return no_longer_open(*review);
  if (act.until > now_ + claim_max) {
    return fail(ErrorCode::invalid, "a claim lasts at most an hour",
                "claim it again before the hour is over");
  }
  if (is_claimed_by_other(*review, act.by, now_) && !act.steal) {
    return fail(ErrorCode::conflict, text_of(act.review) + " is claimed by " + review->claimed_by,
                "an operator can take it over: pawl review claim " +
                    std::to_string(act.review.value()) + " --steal");
  }
  review->claimed_by = act.by;
  review->claimed_until = act.until;
  rows_.put_review(*review);
  return *books_.touch(review->job)->job;
}

Result<Job> ReviewClaims::carry_out(const ReleaseReview& act, const Acting&) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  if (review->status != ReviewStatus::open) return no_longer_open(*review);
  if (review->claimed_by != act.by || act.by.empty()) {
    return fail(ErrorCode::conflict, text_of(act.review) + " is not claimed by " + act.by);
  }
  review->claimed_by.clear();
  review->claimed_until = no_time;
  rows_.put_review(*review);
  return *books_.touch(review->job)->job;
}

Result<Job> ReviewClaims::carry_out(const AssignReview& act, const Acting& by) {
  std::optional<Review> review = rows_.review(act.review);
  if (!review) return no_such(act.review);
  const bool is_own =
      !review->assigned.empty() && is_assigned(*review, by.actor.name, by.standing.groups);
  // What is assigned to a reviewer they may hand over, but not give to everybody.
  const Status may = check_permission(by.actor, by.standing, Right::assign);
  if (!may && (!is_own || act.to.empty())) return std::unexpected(may.error());
  if (review->status != ReviewStatus::open) return no_longer_open(*review);
  if (!may && is_claimed_by_other(*review, act.by, now_)) {
    return fail(ErrorCode::conflict, text_of(act.review) + " is claimed by " + review->claimed_by,
                "wait until they have released it, or ask an operator");
  }
  TouchedJob& touched = books_.touch_owner(review->job);
  const StageDefinition& stage = touched.workflow->stage(stage_of(review->task));
  if (const Status good = check_assignees(stage.review_rules, act.to); !good) {
    return std::unexpected(good.error());
  }
  review->assigned = act.to;
  if (!review->claimed_by.empty()) {
    const std::optional<Person> claimer = rows_.people().person(review->claimed_by);
    const std::vector<std::string> groups = claimer ? claimer->groups : std::vector<std::string>();
    if (!is_assigned(*review, review->claimed_by, groups)) {
      review->claimed_by.clear();
      review->claimed_until = no_time;
    }
  }
  rows_.put_review(*review);
  log_event(*review, {.type = EventType::review_assigned,
                      .text = assignment_text(review->assigned, act.note),
                      .by = act.by});
  return *touched.job;
}

}  // namespace pawl::store
