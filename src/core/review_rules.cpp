#include "pawl/core/review_rules.hpp"

#include <algorithm>

#include "core/joined.hpp"
#include "pawl/core/result.hpp"

namespace pawl {
namespace {

std::string named(const Review& review) { return "review " + std::to_string(review.id.value()); }

bool is_same(const ApprovedContent& one, const ApprovedContent& other) {
  return one.attempt == other.attempt && one.edits == other.edits;
}

void add_unique(std::vector<std::string>& names, const std::vector<std::string>& more) {
  for (const std::string& name : more) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

}  // namespace

bool is_approval(const Answer& answer) {
  return answer.outcome == ReviewOutcome::approve ||
         answer.outcome == ReviewOutcome::approve_with_edits;
}

bool is_counted_approval(const GivenAnswer& given) {
  return given.fate == AnswerFate::counts && is_approval(given.answer);
}

AttemptNumber approved_attempt(const Review& review, const Answer& answer) {
  return answer.attempt.value_or(review.attempt);
}

ApprovedContent content_of(const Review& review, std::span<const GivenAnswer> given,
                           const Answer& answer) {
  ApprovedContent content{
      .attempt = approved_attempt(review, answer), .edits = answer.edits, .edited_by = {}};
  if (!content.edits) return content;
  const auto first = std::ranges::find_if(given, [&](const GivenAnswer& earlier) {
    return is_approval(earlier.answer) && earlier.answer.edits == content.edits &&
           approved_attempt(review, earlier.answer) == content.attempt;
  });
  content.edited_by = first == given.end() ? answer.reviewer : first->answer.reviewer;
  return content;
}

std::optional<ApprovedContent> proposed_content(const Review& review,
                                                std::span<const GivenAnswer> given) {
  // All approvals that count are of the same content.
  const auto any = std::ranges::find_if(given, is_counted_approval);
  if (any == given.end()) return std::nullopt;
  return content_of(review, given, any->answer);
}

std::vector<std::string> editors_of(const Review& review, std::span<const GivenAnswer> given) {
  std::vector<std::string> editors;
  for (const GivenAnswer& one : given) {
    if (!is_approval(one.answer) || !one.answer.edits) continue;
    add_unique(editors, {content_of(review, given, one.answer).edited_by});
  }
  return editors;
}

bool needs_other_eyes(const ReviewRules& rules, std::span<const std::string> people,
                      std::string_view submitted_by, std::span<const std::string> editors) {
  if (rules.self_approval) return false;
  return std::ranges::all_of(people, [&](const std::string& name) {
    return name == submitted_by || std::ranges::find(editors, name) != editors.end();
  });
}

Result<Ballot> count_answer(const ReviewRules& rules, const Review& review,
                            std::span<const GivenAnswer> given, const Answer& answer,
                            std::string_view submitted_by) {
  Ballot ballot{.answer = answer, .needed = rules.approvals};
  if (!is_approval(answer)) {
    ballot.decides = true;
    return ballot;
  }
  std::optional<ApprovedContent> proposed = proposed_content(review, given);
  const bool is_plain =
      answer.outcome == ReviewOutcome::approve && !answer.attempt && !answer.edits;
  if (is_plain && proposed) {
    ballot.answer.attempt = proposed->attempt;
    ballot.answer.edits = proposed->edits;
    if (proposed->edits) ballot.answer.outcome = ReviewOutcome::approve_with_edits;
  }
  const ApprovedContent content = content_of(review, given, ballot.answer);
  const bool is_new = proposed && !is_same(*proposed, content);
  std::vector<std::string> people{answer.reviewer};
  for (const GivenAnswer& earlier : given) {
    if (!is_counted_approval(earlier)) continue;
    if (is_new) {
      ballot.voided.push_back(earlier.number);
      continue;
    }
    if (earlier.answer.reviewer == answer.reviewer) {
      return fail(ErrorCode::conflict,
                  "'" + answer.reviewer + "' has approved " + named(review) + " already",
                  "it needs the approval of somebody else, too");
    }
    add_unique(people, {earlier.answer.reviewer});
  }
  ballot.approvals = static_cast<std::uint32_t>(people.size());
  const bool is_enough = ballot.approvals >= ballot.needed;
  std::vector<std::string> editors = editors_of(review, given);
  if (content.edits) add_unique(editors, {content.edited_by});
  ballot.needs_other_eyes = is_enough && needs_other_eyes(rules, people, submitted_by, editors);
  ballot.decides = is_enough && !ballot.needs_other_eyes;
  return ballot;
}

bool is_assigned(const Review& review, std::string_view name, std::span<const std::string> groups) {
  if (review.assigned.empty()) return true;
  return std::ranges::any_of(review.assigned, [&](std::string_view assignee) {
    if (!assignee.starts_with(group_prefix)) return assignee == name;
    assignee.remove_prefix(group_prefix.size());
    return std::ranges::find(groups, assignee) != groups.end();
  });
}

Status check_may_decide(const Review& review, const Actor& actor, const Standing& standing) {
  if (Status may = check_permission(actor, standing, Right::decide); !may) return may;
  if (actor.kind != ActorKind::person) {
    return fail(ErrorCode::forbidden, "only a person may decide " + named(review));
  }
  if (is_assigned(review, actor.name, standing.groups)) return {};
  return fail(ErrorCode::forbidden, named(review) + " is not assigned to '" + actor.name + "'",
              "it is assigned to " + joined(review.assigned) +
                  "; an operator can hand it over: pawl review assign " +
                  std::to_string(review.id.value()) + " --to NAME");
}

Status check_assignees(const ReviewRules& rules, std::span<const std::string> assigned) {
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    std::string_view name = assigned[i];
    const bool is_group = name.starts_with(group_prefix);
    if (is_group) name.remove_prefix(group_prefix.size());
    if (Status good = check_name(is_group ? "group" : "person", name); !good) return good;
    if (std::ranges::find(assigned.first(i), assigned[i]) != assigned.first(i).end()) {
      return fail(ErrorCode::invalid, "'" + assigned[i] + "' is named twice");
    }
  }
  const bool has_group = std::ranges::any_of(
      assigned, [](const std::string& name) { return name.starts_with(group_prefix); });
  if (assigned.empty() || has_group || assigned.size() >= rules.approvals) return {};
  return fail(ErrorCode::invalid,
              std::to_string(rules.approvals) + " approvals are needed, but only " +
                  std::to_string(assigned.size()) + " can be given: " + joined(assigned),
              "name more people, or a group");
}

void apply_rules(const ReviewRules& rules, Review& fresh, Timestamp now) {
  fresh.assigned = rules.assign;
  if (rules.due <= Duration::zero()) return;
  fresh.due_at = now + rules.due;
  fresh.notice_at = now + rules.due / 4 * 3;
}

ReviewNotice take_notice(const ReviewRules& rules, Review& review, Timestamp now) {
  review.notice_at = no_time;
  if (now < review.due_at) {
    review.notice_at = review.due_at;
    return ReviewNotice::due_soon;
  }
  switch (rules.overdue) {
    case OnOverdue::remind:
      return ReviewNotice::overdue;
    case OnOverdue::escalate:
      if (!review.assigned.empty()) add_unique(review.assigned, rules.escalate_to);
      return ReviewNotice::escalated;
    case OnOverdue::reject:
      return ReviewNotice::rejected;
  }
  return ReviewNotice::overdue;
}

bool is_claimed_by_other(const Review& review, std::string_view name, Timestamp now) {
  return !review.claimed_by.empty() && review.claimed_by != name && review.claimed_until > now;
}

bool is_rejected_by_time(const ReviewRules& rules, const Review& review, Timestamp now) {
  return rules.overdue == OnOverdue::reject && review.due_at != no_time && review.due_at <= now;
}

Answer overdue_answer(const Review& review) {
  return {.outcome = ReviewOutcome::reject,
          .reviewer = std::string(overdue_name),
          .note = named(review) + " was not decided by its due time"};
}

}  // namespace pawl
