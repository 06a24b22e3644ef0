/// Which reviews may be approved without another look.

#include "views/reviews.hpp"

#include <utility>

#include <gtest/gtest.h>

#include "books.hpp"

namespace pawl::views {
namespace {

struct PassingGates : testing::Test {
  Workflow workflow = testing_books::books({"draft"});
  ShownReview shown{.review = {.attempt = 1},
                    .job = testing_books::job_of(workflow),
                    .workflow = workflow,
                    .item = std::nullopt,
                    .task = {},
                    .attempts = {Attempt{.number = 1}},
                    .votes = {},
                    .read_at = testing_books::noon,
                    .output = {}};

  Attempt& attempt() { return shown.attempts.front(); }
  void judged(Assessment assessment) { attempt().assessments.push_back(std::move(assessment)); }
};

TEST_F(PassingGates, an_output_without_gates_has_passed_them_all) {
  EXPECT_TRUE(passed_all_gates(shown));
}

TEST_F(PassingGates, every_gate_must_accept_the_advising_ones_too) {
  judged({.gate = "structure", .criteria = {{.name = "tables", .passed = true}}});
  EXPECT_TRUE(passed_all_gates(shown));
  judged({.gate = "style", .verdict = Verdict::uncertain, .advisory = true});
  EXPECT_FALSE(passed_all_gates(shown));
}

TEST_F(PassingGates, a_criterion_that_is_not_met_counts_even_if_its_gate_accepts) {
  judged({.gate = "judge", .criteria = {{.name = "tone", .passed = false}}});
  EXPECT_FALSE(passed_all_gates(shown));
}

TEST_F(PassingGates, a_part_that_a_composed_gate_does_not_need_may_fail) {
  judged({.gate = "either",
          .parts = {{.gate = "1",
                     .verdict = Verdict::rejected,
                     .criteria = {{.name = "tables", .passed = false}}},
                    {.gate = "2"}}});
  EXPECT_TRUE(passed_all_gates(shown));
}

TEST_F(PassingGates, an_attempt_that_failed_or_was_rejected_has_passed_nothing) {
  attempt().result = AttemptResult::failure;
  EXPECT_FALSE(passed_all_gates(shown));
  attempt().result = AttemptResult::success;
  attempt().verdict = Verdict::rejected;
  EXPECT_FALSE(passed_all_gates(shown));
  shown.attempts.clear();
  EXPECT_FALSE(passed_all_gates(shown));
}

TEST_F(PassingGates, old_records_have_only_their_feedback) {
  attempt().feedback = Feedback{.summary = {}, .criteria = {{.name = "tables", .passed = false}}};
  EXPECT_FALSE(passed_all_gates(shown));
}

TEST_F(PassingGates, no_gate_has_seen_the_edits_of_a_person) {
  shown.approved = ApprovedContent{.attempt = 1, .edits = Json("new"), .edited_by = "ben"};
  EXPECT_FALSE(passed_all_gates(shown));
  shown.approved = ApprovedContent{.attempt = 1, .edits = std::nullopt, .edited_by = {}};
  EXPECT_TRUE(passed_all_gates(shown));
}

}  // namespace
}  // namespace pawl::views
