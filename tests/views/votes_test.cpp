/// What is said about the answers to a review, and which content they stand for.

#include "views/votes.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pawl::views {
namespace {

using namespace std::chrono_literals;

const Json better = Json::object({{"text", "better"}});

GivenAnswer given(std::uint32_t number, Answer answer, AnswerFate fate = AnswerFate::counts,
                  std::uint32_t ended_by = 0) {
  return {.number = number,
          .answer = std::move(answer),
          .given_at = Timestamp(number * 1s),
          .fate = fate,
          .ended_at = ended_by == 0 ? no_time : Timestamp(ended_by * 1s)};
}

Answer approval(const std::string& by) { return {.reviewer = by}; }

Answer edit(const std::string& by) {
  return {.outcome = ReviewOutcome::approve_with_edits, .reviewer = by, .edits = better};
}

struct Voting : testing::Test {
  Review review{.attempt = 2};
  ReviewRules rules{.approvals = 2};

  Votes votes(std::vector<GivenAnswer> answers) {
    return votes_of(rules, review, std::move(answers), "ada");
  }
};

TEST_F(Voting, edits_belong_to_the_person_who_made_them) {
  const Votes both = votes({given(1, edit("bert")), given(2, edit("anna"))});
  EXPECT_EQ(answer_in_words(review, both, edit("bert")), "approved with edits");
  EXPECT_EQ(answer_in_words(review, both, edit("anna")), "approved bert's edits");
  EXPECT_EQ(outcome_in_words(review, both, edit("anna")), "approved, with bert's edits");
}

TEST_F(Voting, an_answer_names_its_attempt_if_it_is_not_the_one_under_review) {
  Answer older = approval("anna");
  older.attempt = 1;
  EXPECT_EQ(answer_in_words(review, votes({given(1, older)}), older), "approved attempt 1");
  older.attempt = 2;
  EXPECT_EQ(answer_in_words(review, votes({given(1, older)}), older), "approved");
}

TEST_F(Voting, a_void_answer_says_who_made_it_void) {
  const GivenAnswer first = given(1, approval("anna"), AnswerFate::voided, 2);
  EXPECT_EQ(why_void(review, votes({first, given(2, edit("bert"))}), first),
            "bert changed the output");
  Answer older = approval("carl");
  older.attempt = 1;
  EXPECT_EQ(why_void(review, votes({first, given(2, older)}), first),
            "carl approved other content");
  EXPECT_EQ(why_void(review, votes({first}), first), "the review has changed");
}

TEST_F(Voting, more_approvals_than_are_needed_are_only_counted) {
  rules.approvals = 1;
  EXPECT_EQ(approvals_in_words(votes({})), "0 of 1 approval");
  const Votes two = votes({given(1, approval("anna")), given(2, approval("bert"))});
  EXPECT_EQ(approvals_in_words(two), "2 approvals");
}

TEST_F(Voting, the_content_is_what_is_proposed_and_then_what_was_approved) {
  EXPECT_FALSE(content_of(review, votes({})));
  const Votes both = votes({given(1, edit("bert")), given(2, edit("anna"))});
  EXPECT_EQ(content_of(review, both)->edits, better);
  review.status = ReviewStatus::closed;
  review.answer = edit("anna");
  EXPECT_EQ(content_of(review, both)->edited_by, "bert");
  review.answer = Answer{.outcome = ReviewOutcome::reject, .reviewer = "anna"};
  EXPECT_FALSE(content_of(review, both)) << "nothing was approved";
}

}  // namespace
}  // namespace pawl::views
