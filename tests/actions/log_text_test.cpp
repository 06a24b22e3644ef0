#include "actions/log_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::actions {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LogText, keeps_a_short_log_as_it_is) {
  LogText log(100);
  log.append("one\n");
  log.append("two\n");
  EXPECT_EQ(log.text(), "one\ntwo\n");
  EXPECT_FALSE(log.is_cut());
}

TEST(LogText, keeps_the_beginning_and_the_end_of_a_long_one) {
  LogText log(20);
  log.append("beginning ");
  for (int i = 0; i < 1'000; ++i) log.append("........");
  log.append("   the end");
  EXPECT_EQ(log.text(), "beginning \n… 8,000 bytes left out …\n   the end");
  EXPECT_EQ(log.bytes(), 8'020);
}

TEST(LogText, never_cuts_a_character) {
  LogText log(10);
  for (int i = 0; i < 100; ++i) log.append("é");
  EXPECT_THAT(log.text(), StartsWith("é"));
  EXPECT_THAT(log.text(), EndsWith("\néé"));
  EXPECT_THAT(log.text(), HasSubstr(" bytes left out "));
}

TEST(StoredAfter, is_the_rest_of_a_short_log) {
  EXPECT_EQ(stored_after("one\ntwo\n", 8, 0), "one\ntwo\n");
  EXPECT_EQ(stored_after("one\ntwo\n", 8, 4), "two\n");
  EXPECT_EQ(stored_after("one\ntwo\n", 8, 8), "");
}

TEST(StoredAfter, is_all_that_was_kept_of_a_long_one) {
  LogText log(20);
  log.append("beginning ");
  for (int i = 0; i < 1'000; ++i) log.append("........");
  log.append("   the end");
  const auto after = [&](std::int64_t printed) {
    return stored_after(log.text(), log.bytes(), printed);
  };
  EXPECT_EQ(after(3), "inning \n… 8,000 bytes left out …\n   the end");
  EXPECT_EQ(after(10), "\n… 8,000 bytes left out …\n   the end");
  EXPECT_EQ(after(3'010), "\n… 5,000 bytes left out …\n   the end");
  EXPECT_EQ(after(8'010), "   the end");
  EXPECT_EQ(after(8'017), "end");
  EXPECT_EQ(after(8'020), "");
}

TEST(StoredAfter, counts_what_is_missing_before_an_end_alone) {
  EXPECT_EQ(stored_after("the end", 100, 13), "\n… 80 bytes left out …\nthe end");
  EXPECT_EQ(stored_after("the end", 100, 97), "end");
}

TEST(StoredAfter, is_not_misled_by_a_log_that_contains_such_a_line) {
  LogText log(80);
  log.append("\n… 7 bytes left out …\nfake");
  for (int i = 0; i < 100; ++i) log.append("........");
  EXPECT_THAT(stored_after(log.text(), log.bytes(), 30), StartsWith("......."));
  EXPECT_THAT(stored_after(log.text(), log.bytes(), 30), HasSubstr(" bytes left out "));
}

// A search that starts again at each beginning takes hours; then this test times out.
TEST(StoredAfter, is_found_in_one_pass_over_a_log_that_repeats_the_beginning_of_such_a_line) {
  std::string log;
  for (int i = 0; i < 1'000'000; ++i) log += "\n… ";
  log += " bytes left out …\n";
  const auto size = static_cast<std::int64_t>(log.size());
  EXPECT_EQ(stored_after(log, size + 1, 0), "\n… 1 bytes left out …\n" + log);
}

TEST(StoredAfter, takes_the_last_of_two_beginnings) {
  const std::string text = "head\n… 1\n… 2 bytes left out …\ntail";
  EXPECT_EQ(stored_after(text, 10 + 2 + 4, 13), "ail") << "the head has 10 bytes";
}

TEST(Mask, hides_a_secret_that_arrives_in_pieces) {
  Mask mask({"hunter2", "s3cr3t-and-long"});
  std::string text;
  for (const char c : std::string("pass hunter2, s3cr3t-and-long; hunter!")) {
    text += mask.feed(std::string_view(&c, 1));
  }
  text += mask.finish();
  EXPECT_EQ(text, "pass ***, ***; hunter!");
}

TEST(Mask, hides_the_longer_of_two_that_begin_alike) {
  Mask mask({"abc", "abcdef"});
  EXPECT_EQ(mask.whole("abcdef abc abcd"), "*** *** ***d");
}

TEST(Mask, hides_a_secret_that_stands_in_json) {
  const Mask mask({"a\"b\\c\nd", "plain"});
  EXPECT_EQ(mask.whole("a\"b\\c\nd"), "***");
  EXPECT_EQ(mask.whole(R"({"x":"a\"b\\c\nd","y":"plain"})"), R"({"x":"***","y":"***"})");
}

TEST(Mask, an_empty_secret_hides_nothing) { EXPECT_EQ(Mask({""}).whole("text"), "text"); }

TEST(LastLine, is_the_last_that_says_something) {
  EXPECT_EQ(last_line("first\n  encrypted pdf  \r\n\n \n"), "encrypted pdf");
  EXPECT_EQ(last_line(" \n"), "");
}

}  // namespace
}  // namespace pawl::actions
