#pragma once

/// The rules of a stage about its reviews, and what follows from the answers that were given. Pure
/// functions: the ledger calls them inside its transactions, so they hold with and without a
/// daemon.
///
/// Approvals count by content: an attempt and the edits made to it. An approval of other content
/// makes the earlier ones void. `approvals: N` needs N different people who approved the same
/// content. A rejection, or a request for changes, by anyone who may answer decides at once. Time
/// alone never approves anything.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/core/review.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl {

/// One answer to a review, as it was given. Rows are never deleted: an answer that was taken back
/// or that no longer counts says so.
enum class AnswerFate : std::uint8_t {
  counts = 1,
  withdrawn = 2,  ///< taken back by the person who gave it
  voided = 3,     ///< somebody approved other content afterwards, or it no longer fitted
};
struct GivenAnswer {
  ReviewId review;
  std::uint32_t number = 0;  ///< of the review's answers, from 1
  Answer answer;
  ActorKind by_kind = ActorKind::person;
  Timestamp given_at;
  AnswerFate fate = AnswerFate::counts;
  Timestamp ended_at;  ///< when it was withdrawn or voided
  friend bool operator==(const GivenAnswer&, const GivenAnswer&) = default;
};

/// Whether the answer approves, with edits or without.
[[nodiscard]] bool is_approval(const Answer& answer);
[[nodiscard]] bool is_counted_approval(const GivenAnswer& given);
/// The attempt that an approval is about.
[[nodiscard]] AttemptNumber approved_attempt(const Review& review, const Answer& answer);

/// The content that an approval stands for.
struct ApprovedContent {
  AttemptNumber attempt = 0;
  std::optional<Json> edits;
  std::string edited_by;  ///< who made the edits first, even if that answer was withdrawn since
};
/// The content that this approval stands for. Its editor is whoever gave these edits first: among
/// the answers that were given, else this one's reviewer.
[[nodiscard]] ApprovedContent content_of(const Review& review, std::span<const GivenAnswer> given,
                                         const Answer& answer);
/// The content that the approvals that count stand for; none: nobody approved yet.
[[nodiscard]] std::optional<ApprovedContent> proposed_content(const Review& review,
                                                              std::span<const GivenAnswer> given);
/// Everybody who made edits in this review: who was the first to give them. Edits build on each
/// other, and whoever withdraws them has still made them.
[[nodiscard]] std::vector<std::string> editors_of(const Review& review,
                                                  std::span<const GivenAnswer> given);
/// Whether these people, who approved the same content, may not decide by themselves: the stage has
/// `self_approval: false`, and all of them submitted the job or made edits.
[[nodiscard]] bool needs_other_eyes(const ReviewRules& rules, std::span<const std::string> people,
                                    std::string_view submitted_by,
                                    std::span<const std::string> editors);

/// What an answer comes to. `answer` is completed: an approval without attempt and edits means the
/// content that has been proposed.
struct Ballot {
  Answer answer;
  bool decides = false;
  std::uint32_t approvals = 0;  ///< that count now, this one included
  std::uint32_t needed = 1;
  bool needs_other_eyes = false;  ///< enough approvals, but only from the submitter and the editor
  std::vector<std::uint32_t> voided;  ///< numbers of earlier answers that this one makes void
};
/// Counts an answer beside those that were given. `conflict` if the person has approved this
/// content already.
[[nodiscard]] Result<Ballot> count_answer(const ReviewRules& rules, const Review& review,
                                          std::span<const GivenAnswer> given, const Answer& answer,
                                          std::string_view submitted_by);

/// Whether the review is assigned to this person, by name or by group. One that is assigned to
/// nobody is everybody's.
[[nodiscard]] bool is_assigned(const Review& review, std::string_view name,
                               std::span<const std::string> groups);
/// `forbidden` unless the actor may answer or claim this review: a person, with the right to
/// decide, to whom it is assigned.
[[nodiscard]] Status check_may_decide(const Review& review, const Actor& actor,
                                      const Standing& standing);
/// `invalid` if these assignees can never give the approvals that the rules need.
[[nodiscard]] Status check_assignees(const ReviewRules& rules,
                                     std::span<const std::string> assigned);

/// Fills in what the rules say about a review that is being opened: assignees, due time and the
/// first notice.
void apply_rules(const ReviewRules& rules, Review& fresh, Timestamp now);

/// What a sweep does with an open review whose `notice_at` has come.
enum class ReviewNotice : std::uint8_t {
  due_soon = 1,   ///< three quarters of the time have passed
  overdue = 2,    ///< `overdue: remind`
  escalated = 3,  ///< `overdue: escalate`: assigned to `escalate_to` as well
  rejected = 4,   ///< `overdue: reject`
};
/// The notice that is due. Updates the review: the assignees after an escalation, and when the next
/// notice is due (none: no more).
[[nodiscard]] ReviewNotice take_notice(const ReviewRules& rules, Review& review, Timestamp now);

/// Whether somebody else has a claim on the review that has not run out.
[[nodiscard]] bool is_claimed_by_other(const Review& review, std::string_view name, Timestamp now);
/// Whether the due time has decided already, and only a sweep has not come by yet.
[[nodiscard]] bool is_rejected_by_time(const ReviewRules& rules, const Review& review,
                                       Timestamp now);

/// The answer that `overdue: reject` gives.
[[nodiscard]] Answer overdue_answer(const Review& review);

/// The most that a claim may last, and the most that an answer may be put off.
inline constexpr Duration claim_max = std::chrono::hours(1);
inline constexpr Duration answer_delay_max = std::chrono::seconds(60);
/// The name that `overdue: reject` answers under.
inline constexpr std::string_view overdue_name = "overdue";
/// How a group is written among names.
inline constexpr std::string_view group_prefix = "group:";

}  // namespace pawl
