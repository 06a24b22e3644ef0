#include "pawl/codec/names.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace pawl {
namespace {

template <class E>
class Names : public ::testing::Test {};

using Enums =
    ::testing::Types<StateKind, ReviewReason, SkipReason, FailCause, CancelCause, AttemptResult,
                     Cause, Verdict, ErrorClass, ErrorKind, ArtifactKind, DecisionKind, Rule,
                     EventType, JobState, PauseCause, BudgetKind, ItemState, ReviewStatus,
                     ReviewOutcome, ReviewPolicy, OnExhausted, OnFailure, OnUncertain, OnBudgetEnd,
                     Scope, GateMode, Right, ErrorCode>;
TYPED_TEST_SUITE(Names, Enums);

TYPED_TEST(Names, every_value_has_a_name_that_leads_back_to_it) {
  int named = 0;
  for (int number = 0; number < 64; ++number) {
    const auto value = from_number<TypeParam>(number);
    const auto as_is = static_cast<TypeParam>(number);
    EXPECT_EQ(value.has_value(), !name_of(as_is).empty()) << number;
    if (!value) continue;
    EXPECT_EQ(static_cast<int>(*value), number);
    EXPECT_EQ(from_name<TypeParam>(name_of(*value)), value) << number;
    ++named;
  }
  EXPECT_GE(named, 2);
  EXPECT_EQ(static_cast<std::size_t>(named), all_names<TypeParam>().size());
}

TYPED_TEST(Names, no_two_values_share_a_name) {
  const std::vector<std::string> names = all_names<TypeParam>();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
}

TYPED_TEST(Names, an_unknown_word_or_number_is_nothing) {
  EXPECT_EQ(from_name<TypeParam>(""), std::nullopt);
  EXPECT_EQ(from_name<TypeParam>("no such word"), std::nullopt);
  EXPECT_EQ(from_number<TypeParam>(-1), std::nullopt);
  EXPECT_EQ(from_number<TypeParam>(200), std::nullopt);
  EXPECT_EQ(from_number<TypeParam>(std::int64_t{1} << 40), std::nullopt);
}

TEST(NamesOfEvents, are_those_the_model_lists) {
  for (const char* name :
       {"job.submitted",  "job.paused",         "job.resumed",      "job.finished",
        "item.settled",   "item.dead_lettered", "attempt.started",  "attempt.finished",
        "gate.accepted",  "gate.rejected",      "gate.uncertain",   "retry.scheduled",
        "retry.started",  "escalated",          "review.requested", "review.decided",
        "task.succeeded", "task.skipped",       "task.failed",      "task.expanded",
        "task.cancelled", "budget.reached"}) {
    EXPECT_TRUE(from_name<EventType>(name)) << name;
  }
}

// A word in the wrong case is reported, not guessed.
TEST(NamesOfPolicies, are_the_words_of_the_file_format) {
  EXPECT_EQ(from_name<OnFailure>("continue"), OnFailure::proceed);
  EXPECT_EQ(from_name<OnFailure>("dead_letter"), OnFailure::dead_letter);
  EXPECT_EQ(from_name<OnFailure>("stop_job"), OnFailure::stop_job);
  EXPECT_EQ(from_name<ReviewPolicy>("on_escalation_or_uncertain"),
            ReviewPolicy::on_escalation_or_uncertain);
  EXPECT_EQ(from_name<ReviewPolicy>("Always"), std::nullopt);
  EXPECT_EQ(from_name<ArtifactKind>("stdout"), ArtifactKind::standard_output);
}

}  // namespace
}  // namespace pawl
