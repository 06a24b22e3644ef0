#include "cli/output/escaped_text.hpp"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"

namespace pawl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::vector<std::string> hostile{std::string("\0", 1),
                                       "\x01",
                                       "\a",
                                       "\b",
                                       "\x1b[2J",
                                       "\x7f",
                                       "\u0085",
                                       "\u009b",
                                       "\u061c",
                                       "\u180e",
                                       "\u200b",
                                       "\u200e",
                                       "\u200f",
                                       "\u2028",
                                       "\u2029",
                                       "\u202a",
                                       "\u202e",
                                       "\u2060",
                                       "\u2066",
                                       "\u2069",
                                       "\ufeff",
                                       "\U000e0001",
                                       "\U000e0041",
                                       "\U000e007f"};

TEST(Printable, shows_what_a_terminal_would_obey_as_an_escape) {
  for (const std::string& one : hostile) {
    for (const std::string& shown :
         {printable("a" + one + "b"), printable_lines("a" + one + "b")}) {
      EXPECT_THAT(shown, Not(HasSubstr(one)));
      EXPECT_TRUE(shown.starts_with("a\\u")) << shown;
      EXPECT_EQ(printable(shown), shown) << "once is enough";
    }
  }
  EXPECT_EQ(printable("a\x1b[31m\u202e\U000e0041\r"), "a\\u001b[31m\\u202e\\udb40\\udc41\\r");
}

TEST(Printable, keeps_what_people_write) {
  for (const std::string text :
       {"plain", "über", "日本", "می‌خواهم", "👩‍👧", "❤️", "a\\nb", "100%", ""}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, is_one_line_unless_lines_are_wanted) {
  EXPECT_EQ(printable("a\n\tb"), "a\\n\\tb");
  EXPECT_EQ(printable_lines("a\n\tb\r\n"), "a\n\tb\\r\n");
}

TEST(Printable, shows_that_bytes_were_not_utf8) {
  EXPECT_EQ(printable("Gr\xf6\xdf"), "Gr\uFFFD\uFFFD");
  EXPECT_EQ(printable("\xe2\x80"), "\uFFFD\uFFFD") << "cut in the middle of a character";
}

TEST(Printable, leaves_json_with_its_meaning) {
  std::string all;
  for (const std::string& one : hostile) all += one;
  const Json value = Json::object({{all, all}});
  const std::string shown = printable_lines(value.text());
  const Result<Json> read = parse_json(shown);
  ASSERT_TRUE(read.has_value()) << shown;
  EXPECT_EQ(canonical(*read), canonical(value));
}

TEST(IdPart, leaves_ordinary_keys_alone) {
  for (const std::string key : {"doc-0419", "a/b.md", "über", "日本", "it's", "#1", "100%", "a b",
                                "x\"y", "2024/01/a.pdf", "$HOME", "[x]"}) {
    EXPECT_EQ(id_part(key), key);
  }
}

TEST(IdPart, is_one_line_without_blanks_at_its_ends) {
  EXPECT_EQ(id_part("a\nb"), "a\\nb");
  EXPECT_EQ(id_part("a\\nb"), "a\\\\nb");
  EXPECT_EQ(id_part(" a "), "\\u0020a\\u0020");
  EXPECT_EQ(id_part(" "), "\\u0020");
  EXPECT_EQ(id_part("-"), "\\u002d");
  EXPECT_EQ(id_part("-rf-"), "\\u002drf-");
  EXPECT_EQ(id_part("\xff"), "\\xff");
  EXPECT_EQ(id_part("a/b", "/"), "a\\/b");
  EXPECT_EQ(id_part_with_escape("total"), "\\u0074otal");
}

TEST(IdPart, is_read_back_whatever_the_bytes) {
  std::mt19937 random(9);
  const std::string alphabet =
      "\\nrtbfux/\"019afAF- \n\t\x1b\x7f\xff\xc3\xa9\xe2\x80\xae\xf0\x9f\x98\x80";
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t length = random() % 12; length > 0; --length) {
      text += random() % 4 == 0 ? static_cast<char>(random() % 256)
                                : alphabet[random() % alphabet.size()];
    }
    for (const std::string& written :
         {id_part(text), id_part(text, "/[]"), id_part_with_escape(text)}) {
      EXPECT_EQ(read_id_part(written).value_or("?"), text) << written;
      EXPECT_EQ(printable(written), written) << "nothing is left that a terminal would obey";
      EXPECT_EQ(written.find('\n'), std::string::npos);
    }
  }
}

TEST(IdPart, is_never_guessed) {
  for (const std::string wrong : {"\\", "a\\", "\\d", "C:\\docs", "\\x1", "\\xzz", "\\u12",
                                  "\\ud800", "\\ud800\\u0041", "\\udc00"}) {
    const Result<std::string> read = read_id_part(wrong);
    ASSERT_FALSE(read.has_value()) << wrong;
    EXPECT_EQ(read.error().code, ErrorCode::invalid);
    EXPECT_THAT(read.error().help, HasSubstr("\\\\"));
  }
}

TEST(QuotedForShell, quotes_what_needs_it) {
  EXPECT_EQ(quoted_for_shell("41/doc-0419"), "41/doc-0419");
  EXPECT_EQ(quoted_for_shell("a\\nb"), "'a\\nb'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell(""), "''");
}

}  // namespace
}  // namespace pawl::cli
