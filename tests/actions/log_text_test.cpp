#include "actions/log_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(LogText, KeepsAShortLogAsItIs) {
  LogText log(100);
  log.append("one\n");
  log.append("two\n");
  EXPECT_EQ(log.text(), "one\ntwo\n");
  EXPECT_FALSE(log.is_cut());
}

TEST(LogText, KeepsTheBeginningAndTheEndOfALongOne) {
  LogText log(20);
  log.append("beginning ");
  for (int i = 0; i < 1'000; ++i) log.append("........");
  log.append("   the end");
  EXPECT_EQ(log.text(), "beginning \n… 8,000 bytes left out …\n   the end");
  EXPECT_EQ(log.bytes(), 8'020);
}

TEST(LogText, NeverCutsACharacter) {
  LogText log(10);
  for (int i = 0; i < 100; ++i) log.append("é");
  EXPECT_THAT(log.text(), StartsWith("é"));
  EXPECT_THAT(log.text(), EndsWith("\néé"));
  EXPECT_THAT(log.text(), HasSubstr(" bytes left out "));
}

TEST(Mask, HidesASecretThatArrivesInPieces) {
  Mask mask({"hunter2", "s3cr3t-and-long"});
  std::string text;
  for (const char c : std::string("pass hunter2, s3cr3t-and-long; hunter!")) {
    text += mask.feed(std::string_view(&c, 1));
  }
  text += mask.finish();
  EXPECT_EQ(text, "pass ***, ***; hunter!");
}

TEST(Mask, HidesTheLongerOfTwoThatBeginAlike) {
  Mask mask({"abc", "abcdef"});
  EXPECT_EQ(mask.whole("abcdef abc abcd"), "*** *** ***d");
}

TEST(Mask, AnEmptySecretHidesNothing) { EXPECT_EQ(Mask({""}).whole("text"), "text"); }

TEST(LastLine, IsTheLastThatSaysSomething) {
  EXPECT_EQ(last_line("first\n  encrypted pdf  \r\n\n \n"), "encrypted pdf");
  EXPECT_EQ(last_line(" \n"), "");
}

}  // namespace
}  // namespace pawl
