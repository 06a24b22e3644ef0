// Characters of texts in UTF-8, valid and broken.

#include "text/utf8.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace pawl::text {
namespace {

using namespace std::string_view_literals;

TEST(Characters, are_read_one_at_a_time) {
  const auto expect = [](std::string_view text, char32_t code, std::size_t bytes) {
    const Character first = first_character(text);
    EXPECT_TRUE(first.is_valid) << text;
    EXPECT_EQ(first.code, code) << text;
    EXPECT_EQ(first.bytes, bytes) << text;
  };
  expect("", 0, 0);
  expect("a\xFF", U'a', 1);
  expect("\0x"sv, 0, 1);
  expect("éx", 0xE9, 2);
  expect("€x", 0x20AC, 3);
  expect("😀x", 0x1F600, 4);
  expect("\xF4\x8F\xBF\xBF", 0x10FFFF, 4);
}

TEST(Characters, that_are_broken_take_one_byte) {
  for (const std::string_view broken :
       {"\x80"sv, "\xC3"sv, "\xC3z"sv, "\xC0\x80"sv, "\xE2\x82"sv, "\xED\xA0\x80"sv,
        "\xF5\x80\x80\x80"sv, "\xF4\x90\x80\x80"sv, "\xE0\x80\x80"sv, "\xFF"sv}) {
    const Character first = first_character(broken);
    EXPECT_FALSE(first.is_valid);
    EXPECT_EQ(first.code, U'\uFFFD');
    EXPECT_EQ(first.bytes, 1U);
    EXPECT_FALSE(is_utf8(broken));
    EXPECT_FALSE(is_utf8("valid before " + std::string(broken)));
  }
}

TEST(Characters, come_back_as_they_were_written) {
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code == 0xD800) code = 0xE000;  // surrogates are not characters
    std::string written;
    append_utf8(written, code);
    const Character read = first_character(written);
    ASSERT_TRUE(read.is_valid && read.code == code && read.bytes == written.size())
        << static_cast<std::uint32_t>(code);
  }
}

TEST(Characters, are_counted) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("a€😀"), 3U);
  EXPECT_TRUE(is_utf8("\0"sv));
}

TEST(Characters, are_not_cut) {
  EXPECT_EQ(beginning_of("a€b", 10), "a€b");
  EXPECT_EQ(beginning_of("a€b", 4), "a€");
  EXPECT_EQ(beginning_of("a€b", 3), "a");
  EXPECT_EQ(beginning_of("€", 2), "");
}

TEST(Characters, that_hide_or_control_are_unprintable) {
  for (const char32_t code : {U'\n', U'\x1B', U'\x7F', U'\u202E', U'\uFEFF', U'\u200B'}) {
    EXPECT_TRUE(is_unprintable(code)) << static_cast<std::uint32_t>(code);
  }
  for (const char32_t code : {U' ', U'a', U'é', U'\u200D', U'😀'}) {
    EXPECT_FALSE(is_unprintable(code)) << static_cast<std::uint32_t>(code);
  }
  EXPECT_EQ(columns_of(U'a'), 1U);
  EXPECT_EQ(columns_of(U'漢'), 2U);
  EXPECT_EQ(columns_of(U'\u0301'), 0U);
}

}  // namespace
}  // namespace pawl::text
