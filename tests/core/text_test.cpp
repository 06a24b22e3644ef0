/// Any bytes become text that every store can hold, and valid text stays unchanged.

#include "pawl/core/text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/record_text.hpp"

namespace pawl {
namespace {

using namespace std::string_literals;

/// Decodes UTF-8 by arithmetic, independently of the code under test: the code points, or nothing
/// if a sequence is broken.
std::optional<std::vector<std::uint32_t>> code_points(std::string_view bytes) {
  std::vector<std::uint32_t> codes;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto lead = static_cast<unsigned char>(bytes[at]);
    const std::size_t length = lead < 0x80             ? 1
                               : (lead & 0xE0) == 0xC0 ? 2
                               : (lead & 0xF0) == 0xE0 ? 3
                               : (lead & 0xF8) == 0xF0 ? 4
                                                       : 0;
    if (length == 0 || at + length > bytes.size()) return std::nullopt;
    std::uint32_t code = length == 1 ? lead : lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[at + i]);
      if ((byte & 0xC0) != 0x80) return std::nullopt;
      code = (code << 6) | (byte & 0x3F);
    }
    constexpr std::uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
    if (code < smallest[length] || is_surrogate || code > 0x10FFFF) return std::nullopt;
    codes.push_back(code);
    at += length;
  }
  return codes;
}

bool is_storable(std::string_view bytes) {
  return code_points(bytes).has_value() && bytes.find('\0') == std::string_view::npos;
}

/// Bytes that are near the edges of UTF-8 more often than random bytes.
std::string arbitrary_bytes() {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element(
      ""s, "a"s, "plain text of some length"s, "\0"s, "\n"s, "\x7F"s, "\xC3\xBC"s, "\xC3"s, "\xBC"s,
      "\xC0\x80"s, "\xC1\xBF"s, "\xE2\x82\xAC"s, "\xE2\x82"s, "\xE0\x80\x80"s, "\xED\xA0\x80"s,
      "\xED\xBF\xBF"s, "\xEF\xBF\xBD"s, "\xF0\x9F\x98\x80"s, "\xF0\x9F\x98"s, "\xF0\x80\x80\x80"s,
      "\xF4\x90\x80\x80"s, "\xF8"s, "\xFE"s, "\xFF"s, "\u202E"s, "\\u0000"s, "\\ud800"s, "\\"s,
      "\""s));
  std::string bytes;
  for (const std::string& piece : pieces) bytes += piece;
  return bytes + *rc::gen::arbitrary<std::string>();
}

TEST(Text, that_is_valid_is_told_from_bytes_that_are_not) {
  for (const std::string& text :
       {""s, "plain"s, "exactly8"s, "Grüße"s, "日本"s, "😀"s, "\u202Eright to left"s, "\n\t\x7F"s,
        "\U0010FFFF"s, "\uD7FF\uE000"s, "\uFFFD"s}) {
    EXPECT_TRUE(is_valid_text(text)) << text;
    EXPECT_EQ(valid_text(text), text);
  }
  for (const std::string& bytes :
       {"\0"s, "seven b\0"s, "eight by\0"s, "Gr\xF6\xDF"s, "\xC3"s, "\x80"s, "\xC0\xAF"s,
        "\xE0\x80\xAF"s, "\xF0\x80\x80\xAF"s, "\xED\xA0\x80"s, "\xED\xBF\xBF"s, "\xF4\x90\x80\x80"s,
        "\xF5\x80\x80\x80"s, "\xF0\x9F\x98"s, "\xFE\xFF"s}) {
    EXPECT_FALSE(is_valid_text(bytes)) << testing::PrintToString(bytes);
  }
}

TEST(Text, shows_each_broken_sequence_and_each_zero_byte_as_one_replacement) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"Gr\xF6\xDF"s + "e", "Gr\uFFFD\uFFFDe"},      // Latin-1
      {"caf\xC3", "caf\uFFFD"},                      // cut off at the end
      {"\xE2\x82z", "\uFFFDz"},                      // cut off by what follows
      {"\xF0\x9F\x98\xF0\x9F\x98\x80", "\uFFFD😀"},  // cut off, and the character whole
      {"\xC0\xAF", "\uFFFD\uFFFD"},                  // overlong: neither byte begins a character
      {"\xE0\x80\xAF", "\uFFFD\uFFFD\uFFFD"},
      {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},  // a surrogate
      {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"a\0b"s, "a\uFFFDb"},
      {"\0\0"s, "\uFFFD\uFFFD"},
      {"\xC3\0"s, "\uFFFD\uFFFD"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(valid_text(bytes), text) << testing::PrintToString(bytes);
  }
}

TEST(Text, of_any_length_is_repaired_only_where_it_is_broken) {
  const std::string plain(1'000'000, 'x');
  EXPECT_EQ(valid_text(plain), plain);
  for (const std::size_t place : {0UZ, 1UZ, 7UZ, 8UZ, 9UZ, 499'999UZ, 999'999UZ}) {
    std::string broken = plain;
    broken[place] = '\xFF';
    std::string expected = plain;
    expected.replace(place, 1, "\uFFFD");
    EXPECT_EQ(valid_text(broken), expected) << place;
  }
  EXPECT_EQ(valid_text(std::string(100'000, '\0')).size(), 300'000U);
}

TEST(Text, that_is_valid_is_not_copied) {
  std::string text(1'000, 'x');
  const char* const where = text.data();
  EXPECT_EQ(valid_text(std::move(text)).data(), where);
}

TEST(Text, is_valid_for_any_bytes_and_repairing_it_again_changes_nothing) {
  EXPECT_TRUE(rc::check([] {
    const std::string bytes = arbitrary_bytes();
    const std::string text = valid_text(bytes);
    RC_ASSERT(is_storable(text));
    RC_ASSERT(is_valid_text(text));
    RC_ASSERT(valid_text(text) == text);
    RC_ASSERT(is_valid_text(bytes) == is_storable(bytes));
    if (is_storable(bytes)) RC_ASSERT(text == bytes);
  }));
}

TEST(JsonText, keeps_an_escaped_zero_and_replaces_what_is_no_character) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"a":[1,true,null,"Grüße \n \\ \" \u00e9"]})",
       R"({"a":[1,true,null,"Grüße \n \\ \" \u00e9"]})"},
      {R"("a\u0000b")", R"("a\u0000b")"},
      {R"("\ud83d\ude00")", R"("\ud83d\ude00")"},
      {R"("\ud83d")", "\"\uFFFD\""},
      {R"("\ude00x")", "\"\uFFFDx\""},
      {R"("\uD83D\uD83D\uDE00")", "\"\uFFFD\\uD83D\\uDE00\""},
      {R"("\ud83d\n")", "\"\uFFFD\\n\""},
      {R"("\ud83d\\ude00")", "\"\uFFFD\\\\ude00\""},
      {R"("\\ud83d")", R"("\\ud83d")"},
      {R"({"\udfff":"\udfff"})", "{\"\uFFFD\":\"\uFFFD\"}"},
      {"\"Gr\xF6\xDF"
       "e\"",
       "\"Gr\uFFFD\uFFFDe\""},
      {"\"a\0b\""s, "\"a\uFFFDb\""},
      {"\"\\ud83d\xFF\"", "\"\uFFFD\uFFFD\""},
  };
  for (const auto& [bytes, text] : cases) {
    const Json json = Json::trusted(bytes);
    EXPECT_EQ(with_valid_strings(json).text(), text);
    EXPECT_EQ(has_valid_strings(json), bytes == text) << bytes;
    EXPECT_TRUE(has_valid_strings(with_valid_strings(json))) << bytes;
  }
}

TEST(JsonText, is_repaired_once_whatever_it_holds) {
  EXPECT_TRUE(rc::check([] {
    const Json json = with_valid_strings(Json::trusted(arbitrary_bytes()));
    RC_ASSERT(is_storable(json.text()));
    RC_ASSERT(has_valid_strings(json));
    RC_ASSERT(with_valid_strings(json) == json);
  }));
  EXPECT_TRUE(rc::check([] {
    const Json quoted(arbitrary_bytes());
    RC_ASSERT(has_valid_strings(quoted));
  }));
}

TEST(RecordText, is_repaired_in_a_whole_step) {
  const std::string bad = "x\xFF\0y"s;
  const std::string good = "x\uFFFD\uFFFDy";
  const Json bad_json = Json::trusted(R"("\ud800")");
  const Json good_json = Json::trusted("\"\uFFFD\"");
  Attempt closed;
  closed.error = StageError{.code = bad, .message = bad, .details = bad_json, .classified_by = bad};
  closed.verdict_reason = bad;
  closed.feedback =
      Feedback{.summary = bad, .criteria = {{bad, bad, bad, true}}, .guidance = bad_json};
  closed.summary = bad;
  closed.output = bad_json;
  closed.artifacts = {
      {.name = bad, .reference = bad, .sha256 = bad, .size = 1, .summary = bad_json}};
  closed.decision.reason = bad;
  Step step;
  step.next.feedback = closed.feedback;
  step.next.child = ChildPart{.key = bad, .data = bad_json};
  step.closed = closed;
  step.children = {{bad, bad_json}};
  step.review =
      Review{.claimed_by = bad, .answer = Answer{.reviewer = bad, .note = bad, .edits = bad_json}};
  step.events = {Event{.text = bad}};
  EXPECT_FALSE(has_valid_text(step));

  make_text_valid(step);
  EXPECT_TRUE(has_valid_text(step));
  const Attempt& repaired = *step.closed;
  EXPECT_EQ(
      *repaired.error,
      (StageError{.code = good, .message = good, .details = good_json, .classified_by = good}));
  EXPECT_EQ(
      *repaired.feedback,
      (Feedback{.summary = good, .criteria = {{good, good, good, true}}, .guidance = good_json}));
  EXPECT_EQ(repaired.artifacts.front(),
            (ArtifactRecord{
                .name = good, .reference = good, .sha256 = good, .size = 1, .summary = good_json}));
  EXPECT_EQ(repaired.verdict_reason, good);
  EXPECT_EQ(repaired.summary, good);
  EXPECT_EQ(repaired.output, good_json);
  EXPECT_EQ(repaired.decision.reason, good);
  EXPECT_EQ(step.next.feedback, repaired.feedback);
  EXPECT_EQ(step.next.child->key, good);
  EXPECT_EQ(step.next.child->data, good_json);
  EXPECT_EQ(step.children.front().key, good);
  EXPECT_EQ(step.children.front().data, good_json);
  EXPECT_EQ(step.review->claimed_by, good);
  EXPECT_EQ(*step.review->answer, (Answer{.reviewer = good, .note = good, .edits = good_json}));
  EXPECT_EQ(step.events.front().text, good);
}

}  // namespace
}  // namespace pawl
