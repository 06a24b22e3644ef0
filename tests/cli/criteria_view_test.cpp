/// The table of criteria and the words for changed outputs, on wide and narrow terminals.

#include "cli/output/criteria_view.hpp"

#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using views::CriterionCell;
using views::CriterionRow;
using views::OutputChange;
using views::OutputDifference;
using views::Trend;

CriterionRow row(const std::string& gate, const std::string& name, std::optional<Trend> trend,
                 std::vector<CriterionCell> cells) {
  return {.gate = gate, .name = name, .trend = trend, .cells = std::move(cells)};
}

std::vector<CriterionRow> five_attempts() {
  CriterionRow words = row("size", "words", Trend::converging, {});
  CriterionRow tone = row("style", "tone", Trend::met, {});
  for (AttemptNumber attempt = 1; attempt <= 5; ++attempt) {
    words.cells.push_back({attempt, false, ">= 9", std::to_string(attempt)});
    if (attempt > 3) tone.cells.push_back({attempt, true, "= calm", "calm"});
  }
  return {words, tone};
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, display_width(line));
  return widest;
}

TEST(CriteriaText, has_a_column_for_each_attempt_and_nothing_where_a_criterion_is_absent) {
  EXPECT_EQ(criteria_text(five_attempts(), {}),
            "GATE   CRITERION  EXPECTED  #1     #2     #3     #4         #5         TREND\n"
            "size   words      >= 9      no, 1  no, 2  no, 3  no, 4      no, 5      converging\n"
            "style  tone       = calm                         yes, calm  yes, calm  met\n");
  EXPECT_EQ(criteria_text({}, {}), "");
}

TEST(CriteriaText, is_whole_at_120_columns) {
  EXPECT_EQ(criteria_text(five_attempts(), {.width = 120}), criteria_text(five_attempts(), {}));
}

TEST(CriteriaText, leaves_out_the_oldest_attempts_at_60_columns_and_says_so) {
  EXPECT_EQ(criteria_text(five_attempts(), {.width = 60}),
            "GATE   CRITERION  EXPECTED  #4         #5         TREND\n"
            "size   words      >= 9      no, 4      no, 5      converging\n"
            "style  tone       = calm    yes, calm  yes, calm  met\n"
            "not shown: 3 older attempts; use a wider terminal, or --json\n");
  EXPECT_THAT(criteria_text(five_attempts(), {.width = 59}), HasSubstr("4 older attempts"));
}

TEST(CriteriaText, wraps_cells_before_it_leaves_out_attempts) {
  const std::vector<CriterionRow> rows{
      row("style", "opening", std::nullopt,
          {{1, false, "a friendly word for the reader", "an invoice without any greeting"}})};
  const std::string text = criteria_text(rows, {.width = 60});
  EXPECT_LE(widest_line(text), 60U) << text;
  EXPECT_THAT(text, Not(HasSubstr("not shown")));
  EXPECT_THAT(text, HasSubstr("friendly"));
}

TEST(CriteriaText, shows_the_newest_attempt_however_narrow_the_terminal_is) {
  EXPECT_THAT(criteria_text(five_attempts(), {.width = 21}), HasSubstr("#5"));
}

TEST(CriteriaText, names_an_expectation_that_has_changed_since) {
  const std::vector<CriterionRow> rows{
      row("length", "words", Trend::worse, {{1, false, ">= 3", "2"}, {2, false, ">= 9", "4"}})};
  EXPECT_THAT(criteria_text(rows, {}), HasSubstr(">= 9      no, 2 (>= 3)  no, 4  worse\n"));
}

TEST(CriteriaText, has_no_column_for_gates_that_were_not_recorded) {
  const std::vector<CriterionRow> rows{row("", "words", std::nullopt, {{1, false, ">= 3", ""}})};
  EXPECT_EQ(criteria_text(rows, {}),
            "CRITERION  EXPECTED  #1  TREND\n"
            "words      >= 3      no\n");
}

TEST(CriteriaText, makes_what_gates_say_printable_and_bounded) {
  const std::string hostile = "\x1b[2J\n\u202e";
  const std::string text = criteria_text(
      {row(
          hostile, hostile, Trend::worse,
          {{1, true, hostile, hostile}, {2, false, std::string(500, 'x'), std::string(500, 'y')}})},
      {});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\u202e")));
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
  EXPECT_LT(widest_line(text), 220U);
}

TEST(CriteriaText, paints_what_failed_and_what_is_worse) {
  const Style style{.colour = true};
  const std::string text = criteria_text(
      {row("g", "words", Trend::worse, {{1, true, ">= 3", "3"}, {2, false, ">= 3", "2"}})}, style);
  EXPECT_THAT(text, HasSubstr(style.paint(Paint::green, "yes, 3")));
  EXPECT_THAT(text, HasSubstr(style.paint(Paint::red, "no, 2")));
  EXPECT_THAT(text, HasSubstr(style.paint(Paint::red, "worse")));
}

TEST(OutputChangeText, names_an_equal_output_or_the_size_of_the_difference) {
  const std::vector<OutputChange> changes{
      {.attempt = 1, .same_as = {}, .difference = {}},
      {.attempt = 2,
       .same_as = {},
       .difference =
           OutputDifference{.from = 1, .bytes = 2'048, .lines_added = 3, .lines_removed = 1}},
      {.attempt = 4,
       .same_as = 1,
       .difference =
           OutputDifference{.from = 2, .bytes = -2'048, .lines_added = 1, .lines_removed = 3}},
      {.attempt = 5,
       .same_as = {},
       .difference =
           OutputDifference{.from = 4, .bytes = -7, .lines_added = 0, .lines_removed = 2}},
      {.attempt = 6,
       .same_as = {},
       .difference =
           OutputDifference{.from = 5, .bytes = 0, .lines_added = 1, .lines_removed = 1}}};
  EXPECT_EQ(output_change_text(changes, 1), "");
  EXPECT_EQ(output_change_text(changes, 2),
            "output changed since attempt 1: 3 lines added, 1 line removed, 2 KiB larger\n");
  EXPECT_EQ(output_change_text(changes, 3), "") << "it has no output";
  EXPECT_EQ(output_change_text(changes, 4), "same output as attempt 1\n");
  EXPECT_EQ(output_change_text(changes, 5),
            "output changed since attempt 4: 0 lines added, 2 lines removed, 7 B smaller\n");
  EXPECT_EQ(output_change_text(changes, 6),
            "output changed since attempt 5: 1 line added, 1 line removed, the same size\n");
}

}  // namespace
}  // namespace pawl::cli
