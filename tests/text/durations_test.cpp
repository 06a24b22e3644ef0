// Durations, rates, percentages and numbers as people write and read them.

#include "text/durations.hpp"

#include <gtest/gtest.h>

#include "text/numbers.hpp"

namespace pawl::text {
namespace {

using namespace std::chrono_literals;

TEST(Durations, have_a_number_and_a_unit) {
  EXPECT_EQ(parse_duration("10ms"), Duration(10ms));
  EXPECT_EQ(parse_duration("30s"), Duration(30s));
  EXPECT_EQ(parse_duration("1.5h"), Duration(90min));
  EXPECT_EQ(parse_duration("2m"), Duration(2min));
  EXPECT_EQ(parse_duration("1d"), Duration(24h));
  EXPECT_EQ(parse_duration("0s"), Duration(0));
  EXPECT_EQ(parse_duration("0.001ms"), Duration(1));
  for (const char* const wrong :
       {"", "s", "30", "30 s", "-1s", "+1s", "1.s", ".5s", "1..5s", "1e3s", "1S", "1us", "1w",
        "1h30m", "99999999999999999999d", "1.2.3s", "0x10s"}) {
    EXPECT_EQ(parse_duration(wrong), std::nullopt) << wrong;
  }
}

TEST(Rates, are_counts_for_each_unit) {
  EXPECT_EQ(parse_rate("60/m"), (Rate{60, 1min}));
  EXPECT_EQ(parse_rate("1/d"), (Rate{1, 24h}));
  for (const char* const wrong :
       {"", "60", "/m", "0/s", "1/ms", "1/min", "1.5/s", "-1/s", "1/", "99999999999/s", "1/s/s"}) {
    EXPECT_EQ(parse_rate(wrong), std::nullopt) << wrong;
  }
}

TEST(Percentages, are_from_nothing_to_all) {
  EXPECT_EQ(parse_percentage("5%"), 5.0);
  EXPECT_EQ(parse_percentage("0%"), 0.0);
  EXPECT_EQ(parse_percentage("99.5%"), 99.5);
  EXPECT_EQ(parse_percentage("100%"), 100.0);
  for (const char* const wrong : {"", "%", "5", "5 %", "100.1%", "-1%"}) {
    EXPECT_EQ(parse_percentage(wrong), std::nullopt) << wrong;
  }
}

TEST(Durations, may_be_sums_on_the_command_line) {
  EXPECT_EQ(parse_duration_sum("1h30m"), Duration(90min));
  EXPECT_EQ(parse_duration_sum("2d"), Duration(48h));
  EXPECT_EQ(parse_duration_sum("1.5h30m500ms"), Duration(2h + 500ms));
  for (const char* const wrong : {"", "30", "h", "1x", "-5s", "5s ", "1h 30m", "1h30", "1us",
                                  "99999999999999999999s", "100000d100000d"}) {
    EXPECT_EQ(parse_duration_sum(wrong), std::nullopt) << wrong;
  }
}

TEST(Durations, have_a_bound) {
  EXPECT_EQ(duration_of(9e15, 1us), Duration(9'000'000'000'000'000));
  EXPECT_EQ(duration_of(9.1e15, 1us), std::nullopt);
  EXPECT_EQ(duration_of(-1, 1s), std::nullopt);
  EXPECT_EQ(duration_of(1e300, 24h), std::nullopt);
}

TEST(InWords, tells_the_two_largest_units) {
  EXPECT_EQ(in_words(Duration{0}), "0s");
  EXPECT_EQ(in_words(as_duration(350ms)), "350ms");
  EXPECT_EQ(in_words(as_duration(8'100ms)), "8.1s");
  EXPECT_EQ(in_words(as_duration(41s)), "41s");
  EXPECT_EQ(in_words(as_duration(2h + 10min + 59s)), "2h10m");
  EXPECT_EQ(in_words(as_duration(76h)), "3d4h");
  EXPECT_EQ(in_words(as_duration(24h + 59min)), "1d");
  EXPECT_EQ(in_words(as_duration(10s + 900ms)), "10s");
  EXPECT_EQ(in_words(as_duration(-90s)), "-1m30s");
  EXPECT_EQ(in_words(Duration{999}), "<1ms");
}

TEST(InAllUnits, rounds_nothing) {
  EXPECT_EQ(in_all_units(Duration{0}), "0s");
  EXPECT_EQ(in_all_units(as_duration(338h)), "14d 2h");
  EXPECT_EQ(in_all_units(as_duration(90s + 250ms + 1us)), "1m 30s 250ms 1us");
  EXPECT_EQ(in_all_units(as_duration(-1'001ms)), "-1s 1ms");
}

TEST(InOneUnit, needs_no_fraction) {
  EXPECT_EQ(in_one_unit(as_duration(90min)), "90m");
  EXPECT_EQ(in_one_unit(as_duration(48h)), "2d");
  EXPECT_EQ(in_one_unit(as_duration(1'500ms)), "1500ms");
  EXPECT_EQ(in_one_unit(Duration{1'000'001}), "1000001us");
}

TEST(Numbers, have_separators_for_people) {
  EXPECT_EQ(with_separators(1'040), "1,040");
  EXPECT_EQ(with_separators(-1'234'567), "-1,234,567");
  EXPECT_EQ(with_separators(999), "999");
  EXPECT_EQ(one_decimal(8.14), "8.1");
  EXPECT_EQ(one_decimal(8.0), "8");
}

}  // namespace
}  // namespace pawl::text
