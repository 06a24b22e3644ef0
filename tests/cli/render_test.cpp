#include "cli/output/render.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "cli/output/terminal_output.hpp"
#include "pawl/views/documents.hpp"
#include "views/csv.hpp"

namespace pawl::cli {
namespace {

using namespace std::chrono_literals;

TEST(Table, has_columns_as_wide_as_their_widest_cell_and_no_blanks_at_the_end) {
  Table table({{"ITEM"}, {"N", Table::Align::right}, {"NOTE"}});
  table.add({"ada", "1", ""});
  table.add({"a longer one", "1,040", "x"});
  EXPECT_EQ(table.text({}),
            "ITEM              N  NOTE\n"
            "ada               1\n"
            "a longer one  1,040  x\n");
}

TEST(Table, counts_columns_of_the_terminal_not_bytes) {
  Table table({{"ITEM"}, {"X"}});
  table.add({"日本", "1"});
  table.add({"é", "2"});
  EXPECT_EQ(table.text({}), "ITEM  X\n日本  1\né     2\n");
}

TEST(Table, does_not_obey_what_its_cells_hold) {
  Table table({{"ITEM"}});
  table.add({"red\x1b[31m\nnext\xff\u202e"});
  EXPECT_EQ(table.text({}), "ITEM\nred\\u001b[31m\\nnext\xEF\xBF\xBD\\u202e\n");
}

TEST(Table, paints_without_changing_the_columns) {
  Table table({{"A"}, {"B"}});
  table.add({{"x", Paint::red}, "y"});
  const std::string bold = control_sequence("1m");
  const std::string plain = control_sequence("0m");
  EXPECT_EQ(table.text({.colour = true}), bold + "A" + plain + "  " + bold + "B" + plain + "\n" +
                                              control_sequence("31m") + "x" + plain + "  y\n");
}

TEST(Table, wraps_its_widest_cells_where_the_terminal_is_narrow) {
  Table table({{"ITEM"}, {"N", Table::Align::right}, {"NOTE"}});
  table.add({"ada", "1", "a note of several words"});
  table.add({"b", "22", "averyveryverylongword"});
  EXPECT_EQ(table.text({.width = 24}),
            "ITEM   N  NOTE\n"
            "ada    1  a note of\n"
            "          several words\n"
            "b     22  averyveryveryl\n"
            "          ongword\n");
  EXPECT_EQ(table.text({.width = 200}), table.text({}));
}

TEST(Table, stays_wider_than_a_terminal_that_has_no_room_for_its_columns) {
  Table table({{"A"}, {"B"}});
  table.add({"0123456789", "0123456789"});
  EXPECT_EQ(table.text({.width = 12}), table.text({}));
}

TEST(Csv, quotes_what_needs_it_and_disarms_formulas) {
  EXPECT_EQ(views::csv_line({"a", "b c", "", "1,5", "say \"x\""}),
            "a,b c,,\"1,5\",\"say \"\"x\"\"\"\n");
  EXPECT_EQ(views::csv_line({"=1+1", "-3.5", "-x", "@a", "+4"}), "'=1+1,-3.5,'-x,'@a,'+4\n");
  EXPECT_EQ(views::csv_line({"two\nlines", "red\x1b[31m"}), "\"two\nlines\",red\\u001b[31m\n");
}

TEST(Csv, disarms_formulas_behind_blanks) {
  EXPECT_EQ(views::csv_line({" =1+1", "\t=1", "\n-x", "  @a"}),
            "' =1+1,\"'\t=1\",\"'\n-x\",'  @a\n");
  EXPECT_EQ(views::csv_line({" a=1", "   ", "a"}), "\" a=1\",\"   \",a\n");
}

TEST(Shortened, keeps_the_width_and_shows_that_something_is_missing) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdef", 4), "abc…");
  EXPECT_EQ(shortened("日本語", 4), "日…");
}

TEST(Times, are_seen_from_now) {
  const Timestamp now{1'700'000'000s};
  const Times times{.style = TimeStyle::relative, .now = now};
  EXPECT_EQ(times.of(now - 9min), "9m ago");
  EXPECT_EQ(times.of(now + 41s), "in 41s");
  EXPECT_EQ(times.of(now), "now");
  EXPECT_EQ(times.of(no_time), "-");
  EXPECT_EQ((Times{.style = TimeStyle::utc, .now = now}.of(now)), "2023-11-14T22:13:20Z");
}

TEST(ParseDuration, wants_a_unit) {
  EXPECT_EQ(parse_duration("1h30m"), Result<Duration>(90min));
  EXPECT_EQ(parse_duration("250ms"), Result<Duration>(250ms));
  EXPECT_EQ(parse_duration("1.5h"), Result<Duration>(90min));
  for (const char* text : {"", "30", "h", "1x", "-5s", "5s ", "99999999999999999999s"}) {
    EXPECT_FALSE(parse_duration(text).has_value()) << text;
  }
}

TEST(Numbers, are_readable) {
  EXPECT_EQ(dollars(18'200'000), "$18.20");
  EXPECT_EQ(dollars(4'999), "$0.00");
  EXPECT_EQ(counted(1, "item"), "1 item");
  EXPECT_EQ(counted(2'000, "item"), "2,000 items");
  EXPECT_EQ(bytes_in_words(48'213), "47.1 KiB");
}

TEST(Colour, follows_the_option_then_the_environment_then_the_terminal) {
  ::unsetenv("NO_COLOR");
  ::unsetenv("CLICOLOR_FORCE");
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(wants_colour(Colour::automatic, true));
  EXPECT_FALSE(wants_colour(Colour::automatic, false));
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_TRUE(wants_colour(Colour::automatic, false));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(wants_colour(Colour::automatic, true));
  EXPECT_TRUE(wants_colour(Colour::always, false));
  ::unsetenv("NO_COLOR");
  ::unsetenv("CLICOLOR_FORCE");
  EXPECT_FALSE(wants_colour(Colour::never, true));
}

TEST(ErrorText, names_the_way_out) {
  const Error error{ErrorCode::not_found, "no item 'x'", "did you mean 'y'?"};
  EXPECT_EQ(error_text(error, {}), "error: no item 'x'\n = help: did you mean 'y'?\n");
  EXPECT_EQ(failure_document(error).text(),
            R"({"error":{"code":"not_found","message":"no item 'x'","help":"did you mean 'y'?"}})");
}

TEST(ErrorText, lets_nothing_that_it_quotes_pass_for_a_message) {
  const Error error{ErrorCode::not_found, "no item 'x\nerror: all is lost'", "a\nb"};
  EXPECT_EQ(error_text(error, {}), "error: no item 'x\n  error: all is lost'\n = help: a\n  b\n");
}

}  // namespace
}  // namespace pawl::cli
