#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum EventType;

struct Question {
  StageDefinition stage = given::stage();
  Task task = given::in_state(AwaitingReview{.reason = ReviewReason::exhausted});
  Review review;

  Question() {
    task.attempts = 3;
    review.id = ReviewId{5};
    review.task = task.id;
    review.attempt = 3;
  }
  [[nodiscard]] Result<Step> answered(const Answer& given) const {
    return answer(stage, task, review, given, given::noon);
  }
};

TEST(Answer, an_approval_takes_the_newest_attempt_shown) {
  const auto step = Question{}.answered({.outcome = ReviewOutcome::approve});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->next.state, TaskState(Succeeded{.attempt = 3}));
  EXPECT_EQ(step->flow, Flow::satisfied);
  EXPECT_THAT(given::types_of(step->events), ElementsAre(review_decided, task_succeeded));
  EXPECT_EQ(step->events[0].code, static_cast<int>(ReviewOutcome::approve));
}

// A person may approve the best one.
TEST(Answer, an_approval_may_name_an_earlier_attempt_but_none_that_does_not_exist) {
  const Question question;
  EXPECT_EQ(question.answered({.attempt = 1})->next.state, TaskState(Succeeded{.attempt = 1}));
  for (const AttemptNumber wrong : {0U, 4U}) {
    const auto step = question.answered({.attempt = wrong});
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error().code, ErrorCode::invalid);
  }
}

TEST(Answer, edits_are_named_by_the_review_that_made_them) {
  const auto step = Question{}.answered(
      {.outcome = ReviewOutcome::approve_with_edits, .edits = Json::object({{"total", 12}})});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->next.state, TaskState(Succeeded{.attempt = 3, .edited_by = ReviewId{5}}));
}

TEST(Answer, a_rejection_fails_the_task_with_the_note) {
  const auto step = Question{}.answered({.outcome = ReviewOutcome::reject, .note = "a forgery"});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->next.state, TaskState(Failed{.cause = FailCause::rejected_by_review}));
  EXPECT_EQ(step->flow, Flow::broken);
  ASSERT_THAT(given::types_of(step->events),
              ElementsAre(review_decided, task_failed, item_dead_lettered));
  EXPECT_EQ(step->events[0].text, "a forgery");
  EXPECT_EQ(step->events[1].text, "a forgery");
}

TEST(Answer, requested_changes_close_the_question_and_leave_the_task_to_the_rerun) {
  const Question question;
  const auto step =
      question.answered({.outcome = ReviewOutcome::request_changes, .note = "add the date"});
  ASSERT_TRUE(step);
  EXPECT_EQ(step->next.state, question.task.state);
  EXPECT_EQ(step->flow, Flow::none);
  EXPECT_THAT(given::types_of(step->events), ElementsAre(review_decided));
}

TEST(Answer, what_does_not_fit_is_invalid_and_says_what_is_missing) {
  const Question question;
  struct Case {
    Answer answer;
    const char* says;
  };
  for (const auto& [given, says] : std::initializer_list<Case>{
           {{.outcome = ReviewOutcome::approve_with_edits}, "needs edits"},
           {{.outcome = ReviewOutcome::approve, .edits = Json(1)}, "carries edits"},
           {{.outcome = ReviewOutcome::reject}, "needs a note"},
           {{.outcome = ReviewOutcome::request_changes}, "needs a note"},
       }) {
    const auto step = question.answered(given);
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error().code, ErrorCode::invalid);
    EXPECT_THAT(step.error().message, HasSubstr(says));
  }
}

TEST(Answer, a_human_stage_offers_changes_only_with_changes_rerun) {
  Question question;
  question.stage.handler.clear();
  const Answer changes{.outcome = ReviewOutcome::request_changes, .note = "again"};
  EXPECT_EQ(question.answered(changes).error().code, ErrorCode::invalid);
  question.stage.changes_rerun = "draft";
  EXPECT_TRUE(question.answered(changes));
}

TEST(Answer, a_task_that_no_longer_awaits_review_is_a_conflict) {
  Question question;
  question.task.state = Succeeded{.attempt = 3};
  EXPECT_EQ(question.answered({}).error().code, ErrorCode::conflict);
}

}  // namespace
}  // namespace pawl
