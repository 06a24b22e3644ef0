#include "pawl/core/review_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using enum ReviewOutcome;

/// A review whose answers are counted one after the other, as the ledger counts them.
struct Poll {
  ReviewRules rules;
  Review review{.id = ReviewId{5}, .attempt = 3};
  std::string submitted_by = "sam";
  std::vector<GivenAnswer> given;

  Result<Ballot> answer(const Answer& one) {
    Result<Ballot> ballot = count_answer(rules, review, given, one, submitted_by);
    if (!ballot) return ballot;
    for (const std::uint32_t number : ballot->voided) {
      given[number - 1].fate = AnswerFate::voided;
    }
    given.push_back({.review = review.id,
                     .number = static_cast<std::uint32_t>(given.size()) + 1,
                     .answer = ballot->answer});
    return ballot;
  }
  Result<Ballot> approve(const std::string& who) { return answer({.reviewer = who}); }
  Result<Ballot> edit(const std::string& who, Json edits) {
    return answer({.outcome = approve_with_edits, .reviewer = who, .edits = std::move(edits)});
  }
};

TEST(Votes, without_rules_one_approval_decides) {
  const Result<Ballot> ballot = Poll{}.approve("anna");
  EXPECT_TRUE(ballot->decides);
  EXPECT_EQ(ballot->approvals, 1U);
}

TEST(Votes, as_many_different_people_as_the_rule_says_must_approve) {
  Poll poll{.rules = {.approvals = 3}};
  EXPECT_FALSE(poll.approve("anna")->decides);
  EXPECT_EQ(poll.approve("ben")->approvals, 2U);
  EXPECT_TRUE(poll.approve("cleo")->decides);
}

TEST(Votes, nobody_counts_twice) {
  Poll poll{.rules = {.approvals = 2}};
  ASSERT_TRUE(poll.approve("anna"));
  const Result<Ballot> again = poll.approve("anna");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::conflict);
  EXPECT_THAT(again.error().text(), HasSubstr("'anna' has approved review 5 already"));
}

TEST(Votes, an_approval_that_was_taken_back_may_be_given_again_and_counts_once) {
  Poll poll{.rules = {.approvals = 2}};
  ASSERT_TRUE(poll.approve("anna"));
  poll.given[0].fate = AnswerFate::withdrawn;
  EXPECT_EQ(poll.approve("anna")->approvals, 1U);
  EXPECT_TRUE(poll.approve("ben")->decides);
}

TEST(Votes, an_edit_makes_the_approvals_before_it_void) {
  Poll poll{.rules = {.approvals = 2}};
  ASSERT_TRUE(poll.approve("anna"));
  const Result<Ballot> edited = poll.edit("ben", Json(7));
  EXPECT_FALSE(edited->decides);
  EXPECT_EQ(edited->approvals, 1U);
  EXPECT_THAT(edited->voided, ElementsAre(1U));
}

TEST(Votes, a_plain_approval_after_an_edit_is_of_the_edited_content) {
  Poll poll{.rules = {.approvals = 2}};
  ASSERT_TRUE(poll.edit("ben", Json(7)));
  const Result<Ballot> second = poll.approve("anna");
  EXPECT_TRUE(second->decides);
  EXPECT_EQ(second->answer.outcome, approve_with_edits);
  EXPECT_EQ(second->answer.edits, Json(7));
}

TEST(Votes, other_edits_and_another_attempt_are_other_content) {
  Poll poll{.rules = {.approvals = 2}};
  ASSERT_TRUE(poll.edit("ben", Json(7)));
  EXPECT_THAT(poll.edit("anna", Json(8))->voided, ElementsAre(1U));
  EXPECT_THAT(poll.answer({.reviewer = "cleo", .attempt = 1})->voided, ElementsAre(2U));
  EXPECT_EQ(proposed_content(poll.review, poll.given)->attempt, 1U);
  EXPECT_TRUE(poll.approve("ben")->decides) << "now both stand for attempt 1 without edits";
}

TEST(Votes, the_newest_attempt_by_number_is_the_same_content_as_without_one) {
  Poll poll{.rules = {.approvals = 2}};
  ASSERT_TRUE(poll.approve("anna"));
  const Result<Ballot> second = poll.answer({.reviewer = "ben", .attempt = 3});
  EXPECT_TRUE(second->decides);
  EXPECT_THAT(second->voided, IsEmpty());
}

TEST(Votes, a_rejection_or_a_request_for_changes_decides_at_once) {
  for (const ReviewOutcome outcome : {reject, request_changes}) {
    Poll poll{.rules = {.approvals = 3}};
    ASSERT_TRUE(poll.approve("anna"));
    EXPECT_TRUE(poll.answer({.outcome = outcome, .reviewer = "ben", .note = "no"})->decides);
  }
}

TEST(FourEyes, who_submitted_the_job_is_not_enough_alone) {
  Poll poll{.rules = {.self_approval = false}};
  const Result<Ballot> own = poll.approve("sam");
  EXPECT_FALSE(own->decides);
  EXPECT_TRUE(own->needs_other_eyes);
  EXPECT_TRUE(poll.approve("anna")->decides);
}

TEST(FourEyes, who_made_the_edits_is_not_enough_even_together_with_the_submitter) {
  Poll poll{.rules = {.approvals = 2, .self_approval = false}};
  ASSERT_TRUE(poll.edit("ben", Json(7)));
  EXPECT_TRUE(poll.approve("sam")->needs_other_eyes);
  EXPECT_TRUE(poll.approve("anna")->decides);
}

TEST(FourEyes, anybody_else_suffices_for_what_nobody_edited) {
  Poll poll{.rules = {.self_approval = false}};
  EXPECT_TRUE(poll.approve("anna")->decides);
}

TEST(Assignment, is_by_name_or_by_group_and_nobodys_is_everybodys) {
  Review review{.assigned = {"anna", "group:editors"}};
  EXPECT_TRUE(is_assigned(review, "anna", {}));
  EXPECT_FALSE(is_assigned(review, "ben", {}));
  const std::vector<std::string> groups{"editors"};
  EXPECT_TRUE(is_assigned(review, "ben", groups));
  EXPECT_FALSE(is_assigned(review, "group:editors", {})) << "a name is not a group";
  review.assigned.clear();
  EXPECT_TRUE(is_assigned(review, "ben", {}));
}

TEST(Assignment, a_refusal_says_to_whom_the_review_is_assigned) {
  const Review review{.id = ReviewId{5}, .assigned = {"anna", "group:editors"}};
  const Status refused = check_may_decide(review, {.name = "ben"}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
  EXPECT_THAT(refused.error().text(), HasSubstr("assigned to anna, group:editors"));
}

TEST(Assignment, only_a_person_may_decide) {
  for (const ActorKind kind : {ActorKind::agent, ActorKind::worker, ActorKind::engine}) {
    const Status refused =
        check_may_decide({.id = ReviewId{5}}, {.name = "bot", .kind = kind}, {.kind = kind});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::forbidden);
  }
}

TEST(Assignment, must_leave_enough_people_for_the_approvals_that_are_needed) {
  const ReviewRules rules{.approvals = 3};
  const auto check = [&](std::vector<std::string> to) { return check_assignees(rules, to); };
  EXPECT_TRUE(check({}));
  EXPECT_TRUE(check({"anna", "ben", "cleo"}));
  EXPECT_TRUE(check({"group:editors"})) << "who is in a group changes";
  EXPECT_THAT(check({"anna", "ben"}).error().text(),
              HasSubstr("3 approvals are needed, but only 2 can be given"));
  EXPECT_THAT(check({"anna", "anna", "ben"}).error().text(), HasSubstr("named twice"));
  EXPECT_FALSE(check({"group:"}));
  EXPECT_FALSE(check({"two words"}));
}

TEST(DueTime, comes_from_the_rules_when_the_review_opens_with_a_reminder_before_it) {
  Review fresh{.opened_at = given::noon};
  apply_rules({.assign = {"anna"}, .due = 4h}, fresh, given::noon);
  EXPECT_THAT(fresh.assigned, ElementsAre("anna"));
  EXPECT_EQ(fresh.due_at, given::noon + 4h);
  EXPECT_EQ(fresh.notice_at, given::noon + 3h);
  Review never;
  apply_rules({}, never, given::noon);
  EXPECT_EQ(never.due_at, no_time);
  EXPECT_EQ(never.notice_at, no_time);
}

TEST(DueTime, is_announced_before_it_comes_and_once_when_it_has_come) {
  const ReviewRules rules{.due = 4h};
  Review review;
  apply_rules(rules, review, given::noon);
  EXPECT_EQ(take_notice(rules, review, given::noon + 3h), ReviewNotice::due_soon);
  EXPECT_EQ(review.notice_at, review.due_at);
  EXPECT_EQ(take_notice(rules, review, given::noon + 4h), ReviewNotice::overdue);
  EXPECT_EQ(review.notice_at, no_time);
}

// A sweep may come late.
TEST(DueTime, that_has_long_passed_needs_no_reminder_first) {
  const ReviewRules rules{.due = 4h, .overdue = OnOverdue::reject};
  Review review;
  apply_rules(rules, review, given::noon);
  EXPECT_EQ(take_notice(rules, review, given::noon + 9h), ReviewNotice::rejected);
}

TEST(DueTime, an_escalation_widens_the_assignees_and_keeps_them) {
  const ReviewRules rules{.assign = {"anna"},
                          .due = 4h,
                          .overdue = OnOverdue::escalate,
                          .escalate_to = {"group:leads", "anna"}};
  Review review;
  apply_rules(rules, review, given::noon);
  EXPECT_EQ(take_notice(rules, review, given::noon + 4h), ReviewNotice::escalated);
  EXPECT_THAT(review.assigned, ElementsAre("anna", "group:leads"));
  review.assigned.clear();
  (void)take_notice(rules, review, given::noon + 4h);
  EXPECT_THAT(review.assigned, IsEmpty()) << "everybody may answer already";
}

TEST(DueTime, nothing_is_ever_approved_by_time) {
  EXPECT_EQ(overdue_answer({.id = ReviewId{5}}).outcome, reject);
  EXPECT_EQ(overdue_answer({.id = ReviewId{5}}).reviewer, overdue_name);
}

}  // namespace
}  // namespace pawl
