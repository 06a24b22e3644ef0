/// The table of criteria over attempts: its rows, its cells, its order and the trends.

#include "views/criteria.hpp"

#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::views {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testing::Optional;
using testing::Pair;
using testing::SizeIs;

constexpr bool yes = true;
constexpr bool no = false;

Criterion criterion(const std::string& name, const std::string& expected, const std::string& actual,
                    bool passed) {
  return {.name = name, .expected = expected, .actual = actual, .passed = passed};
}

Assessment gate(const std::string& name, std::vector<Criterion> criteria,
                std::vector<Assessment> parts = {}) {
  return {.gate = name,
          .verdict = Verdict::rejected,
          .summary = {},
          .criteria = std::move(criteria),
          .parts = std::move(parts)};
}

Attempt attempt(AttemptNumber number, std::vector<Assessment> assessments,
                std::uint32_t epoch = 1) {
  Attempt made;
  made.number = number;
  made.epoch = epoch;
  made.assessments = std::move(assessments);
  return made;
}

std::vector<std::pair<std::string, std::string>> names(const std::vector<CriterionRow>& rows) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const CriterionRow& row : rows) all.emplace_back(row.gate, row.name);
  return all;
}

/// One cell for each actual value of one criterion, in order of the attempts.
std::optional<Trend> trend(const std::string& expected,
                           const std::vector<std::pair<std::string, bool>>& actual) {
  std::vector<CriterionCell> cells;
  for (const auto& [value, passed] : actual) {
    cells.push_back({static_cast<AttemptNumber>(cells.size() + 1), passed, expected, value});
  }
  return trend_of(cells);
}

TEST(Distance, is_zero_if_the_criterion_is_met) {
  EXPECT_EQ(distance_of({1, yes, ">= 3", "7"}), 0);
  EXPECT_EQ(distance_of({1, yes, "calm", "calm"}), 0);
}

TEST(Distance, is_what_is_missing_to_the_bound) {
  EXPECT_EQ(distance_of({1, no, ">= 3", "1"}), 2);
  EXPECT_EQ(distance_of({1, no, "<= 3", "10"}), 7);
  EXPECT_EQ(distance_of({1, no, "= 3", "1"}), 2);
  EXPECT_EQ(distance_of({1, no, "= 3", "5"}), 2);
  EXPECT_EQ(distance_of({1, no, "== 3", "5"}), 2);
  EXPECT_EQ(distance_of({1, no, "4", "-1"}), 5);
  EXPECT_EQ(distance_of({1, no, "at least 800", "720"}), 80);
  EXPECT_EQ(distance_of({1, no, "at most 2", "5"}), 3);
  EXPECT_EQ(distance_of({1, no, ">0.5", "0.25"}), 0.25);
  EXPECT_EQ(distance_of({1, no, "< 3", "3"}), 0) << "as near as a strict bound can be missed";
  EXPECT_EQ(distance_of({1, no, "length >= 10", "length 4"}), 6);
}

TEST(Distance, is_unknown_without_numbers_and_where_they_do_not_explain_the_failure) {
  for (const auto& [expected, actual] :
       std::vector<std::pair<std::string, std::string>>{{"calm", "angry"},
                                                        {">= 3", "null"},
                                                        {">= 3", ""},
                                                        {"", ""},
                                                        {"", "3"},
                                                        {">= three", "2"},
                                                        {">= 3", "2 words"},
                                                        {"length >= 3", "null"},
                                                        {"length >= 3", "2"},
                                                        {">= 3", "length 2"},
                                                        {"!= 3", "3"},
                                                        {"one of 1, 2", "3"},
                                                        {">= inf", "2"},
                                                        {">= 3", "nan"},
                                                        {">= 3", "5"},
                                                        {">= 3", "3"},
                                                        {"<= 3", "2"},
                                                        {"= 3", "3"}}) {
    EXPECT_EQ(distance_of({1, no, expected, actual}), std::nullopt) << expected << ", " << actual;
  }
}

TEST(TrendOf, is_met_as_soon_as_the_newest_attempt_passed) {
  EXPECT_EQ(trend(">= 3", {{"1", no}, {"3", yes}}), Trend::met);
  EXPECT_EQ(trend("calm", {{"calm", yes}}), Trend::met);
}

TEST(TrendOf, needs_two_attempts_to_say_more_of_a_failure) {
  EXPECT_EQ(trend(">= 3", {{"1", no}}), std::nullopt);
  EXPECT_EQ(trend_of({}), std::nullopt);
}

TEST(TrendOf, is_converging_only_while_it_is_nearer_than_ever) {
  EXPECT_EQ(trend(">= 10", {{"1", no}, {"5", no}}), Trend::converging);
  EXPECT_EQ(trend("<= 3", {{"9", no}, {"6", no}, {"4", no}}), Trend::converging);
  EXPECT_EQ(trend("= 5", {{"1", no}, {"7", no}}), Trend::converging);
  EXPECT_EQ(trend(">= 10", {{"null", no}, {"1", no}, {"5", no}}), Trend::converging)
      << "a value that is not a number cannot be the best one";
  EXPECT_EQ(trend(">= 10", {{"6", no}, {"2", no}, {"5", no}}), Trend::stalled)
      << "it only makes up for lost ground";
}

TEST(TrendOf, is_stalled_without_change) {
  EXPECT_EQ(trend(">= 10", {{"5", no}, {"5", no}}), Trend::stalled);
  EXPECT_EQ(trend("= 5", {{"3", no}, {"7", no}}), Trend::stalled) << "as far on the other side";
}

TEST(TrendOf, is_worse_when_it_is_further_than_before) {
  EXPECT_EQ(trend(">= 10", {{"5", no}, {"4", no}}), Trend::worse);
  EXPECT_EQ(trend(">= 10", {{"1", no}, {"5", no}, {"4", no}}), Trend::worse);
  EXPECT_EQ(trend(">= 10", {{"12", yes}, {"9", no}}), Trend::worse);
}

TEST(TrendOf, comes_from_passed_and_failed_where_the_values_are_no_numbers) {
  EXPECT_EQ(trend("calm", {{"calm", yes}, {"angry", no}}), Trend::worse);
  EXPECT_EQ(trend("calm", {{"angry", no}, {"angry", no}}), Trend::stalled);
  EXPECT_EQ(trend("calm", {{"angry", no}, {"sad", no}}), Trend::stalled)
      << "another text that still fails is not known to be nearer";
  EXPECT_EQ(trend(">= 3", {{"1", no}, {"null", no}}), Trend::stalled);
}

TEST(TrendOf, measures_each_attempt_against_its_own_expectation) {
  EXPECT_EQ(trend_of(std::vector<CriterionCell>{{1, no, ">= 10", "8"}, {2, no, ">= 20", "12"}}),
            Trend::worse);
}

TEST(Criteria, of_attempts_that_no_gate_judged_have_no_rows) {
  EXPECT_THAT(criteria_of({}), IsEmpty());
  EXPECT_THAT(criteria_of({attempt(1, {}), attempt(2, {})}), IsEmpty());
}

TEST(Criteria, have_a_row_for_each_gate_and_name_and_a_cell_for_each_attempt) {
  const auto rows = criteria_of({
      attempt(1, {gate("length", {criterion("words", ">= 3", "1", no)}),
                  gate("style", {criterion("words", "calm", "angry", no)})}),
      attempt(2, {}),
      attempt(3, {gate("length", {criterion("words", ">= 3", "2", no)})}),
  });
  ASSERT_THAT(names(rows), ElementsAre(Pair("length", "words"), Pair("style", "words")));
  EXPECT_THAT(rows[0].cells,
              ElementsAre(CriterionCell{1, no, ">= 3", "1"}, CriterionCell{3, no, ">= 3", "2"}));
  EXPECT_EQ(rows[0].in(2), nullptr);
  EXPECT_EQ(rows[0].in(3)->actual, "2");
  EXPECT_EQ(rows[0].trend, Trend::converging);
  EXPECT_EQ(rows[1].in(3), nullptr);
  EXPECT_EQ(rows[1].trend, std::nullopt) << "the newest judged attempt does not have it";
  EXPECT_THAT(attempts_in(rows), ElementsAre(1, 3));
}

TEST(Criteria, stand_in_groups_failed_now_failed_before_and_never_failed) {
  const auto rows = criteria_of({
      attempt(
          1, {gate("g", {criterion("always met", "a", "a", yes), criterion("met now", "a", "b", no),
                         criterion("gone", "a", "b", no), criterion("worse", "a", "a", yes),
                         criterion("still failed", "a", "b", no)})}),
      attempt(
          2, {gate("g",
                   {criterion("still failed", "a", "b", no), criterion("always met", "a", "a", yes),
                    criterion("met now", "a", "a", yes), criterion("worse", "a", "b", no)})}),
      attempt(3, {}),
  });
  EXPECT_THAT(names(rows),
              ElementsAre(Pair("g", "worse"), Pair("g", "still failed"), Pair("g", "met now"),
                          Pair("g", "gone"), Pair("g", "always met")))
      << "attempt 3 was not judged, so attempt 2 counts";
  EXPECT_EQ(rows[0].trend, Trend::worse);
  EXPECT_EQ(rows[1].trend, Trend::stalled);
  EXPECT_EQ(rows[2].trend, Trend::met);
}

TEST(Criteria, of_a_gate_that_accepted_without_naming_any_have_failed_before) {
  Attempt second = attempt(2, {gate("length", {})});
  second.verdict = Verdict::accepted;
  const auto rows =
      criteria_of({attempt(1, {gate("length", {criterion("words", ">= 3", "1", no)})}), second});
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].trend, std::nullopt);
}

TEST(Criteria, of_one_name_are_told_apart_by_their_expectations) {
  const auto rows = criteria_of({
      attempt(1, {gate("range", {criterion("words", ">= 3", "12", yes),
                                 criterion("words", "<= 10", "12", no)})}),
      attempt(2, {gate("range", {criterion("words", "<= 10", "11", no)})}),
  });
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[0].cells, ElementsAre(CriterionCell{1, no, "<= 10", "12"},
                                         CriterionCell{2, no, "<= 10", "11"}));
  EXPECT_EQ(rows[0].trend, Trend::converging);
  EXPECT_THAT(rows[1].cells, SizeIs(1));
}

TEST(Criteria, that_are_equal_are_told_apart_by_their_order) {
  const std::vector<Criterion> twice{criterion("page", "clean", "dirty", no),
                                     criterion("page", "clean", "dirty", no)};
  const auto rows = criteria_of({attempt(1, {gate("g", twice)}), attempt(2, {gate("g", twice)})});
  ASSERT_THAT(rows, SizeIs(2));
  for (const CriterionRow& row : rows) EXPECT_THAT(row.cells, SizeIs(2));
}

TEST(Criteria, whose_expectation_changes_stay_one_row) {
  const auto rows = criteria_of({attempt(1, {gate("g", {criterion("words", ">= 3", "1", no)})}),
                                 attempt(2, {gate("g", {criterion("words", ">= 9", "4", no)})})});
  ASSERT_THAT(rows, SizeIs(1));
  EXPECT_EQ(rows[0].trend, Trend::worse);
}

TEST(Criteria, of_composed_gates_have_the_names_that_lead_to_them) {
  const auto rows = criteria_of(
      {attempt(1, {gate("good", {},
                        {gate("long", {criterion("words", ">= 9", "1", no)}),
                         gate("2", {}, {gate("twin", {criterion("words", "= 1", "1", yes)})})})})});
  EXPECT_THAT(names(rows), ElementsAre(Pair("good/long", "words"), Pair("good/2/twin", "words")));
}

TEST(Criteria, of_old_records_come_from_the_feedback) {
  Attempt old = attempt(1, {});
  old.verdict = Verdict::rejected;
  old.feedback =
      Feedback{.summary = {}, .criteria = {criterion("words", ">= 3", "1", no)}, .guidance = {}};
  EXPECT_THAT(names(criteria_of({old})), ElementsAre(Pair("", "words")));
}

TEST(Criteria, have_a_trend_over_the_attempts_of_the_newest_epoch_alone) {
  const auto words = [](const char* actual, bool passed) {
    return std::vector<Assessment>{gate("g", {criterion("words", ">= 9", actual, passed)})};
  };
  const std::vector<Attempt> before{attempt(1, words("5", no)), attempt(2, words("8", no))};
  std::vector<Attempt> attempts = before;
  attempts.push_back(attempt(3, words("2", no), 2));
  EXPECT_EQ(criteria_of(attempts)[0].trend, std::nullopt) << "the first of the new epoch";
  EXPECT_THAT(criteria_of(attempts)[0].cells, SizeIs(3)) << "the older ones are still shown";
  attempts.push_back(attempt(4, words("3", no), 2));
  EXPECT_EQ(criteria_of(attempts)[0].trend, Trend::converging);
  std::vector<Attempt> unjudged = before;
  unjudged.push_back(attempt(3, {}, 2));
  EXPECT_EQ(criteria_of(unjudged)[0].trend, std::nullopt);
}

}  // namespace
}  // namespace pawl::views
