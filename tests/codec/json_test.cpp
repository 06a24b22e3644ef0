#include "pawl/codec/json.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/arbitrary.hpp"
#include "codec/damage.hpp"

namespace pawl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

std::string parsed(std::string_view text, JsonLimits limits = {}) {
  const Result<Json> json = parse_json(text, limits);
  return json ? json->text() : "error: " + json.error().message;
}

std::string fault(std::string_view text, JsonLimits limits = {}) {
  const Result<Json> json = parse_json(text, limits);
  if (json) return "no error: " + json->text();
  EXPECT_EQ(json.error().code, ErrorCode::invalid);
  return json.error().message;
}

Json json(std::string_view text) { return parse_json(text).value(); }

TEST(ParseJson, leaves_out_white_space_and_keeps_the_order_of_keys) {
  EXPECT_EQ(parsed(" { \"b\" : [ 1 , true , null ] ,\n \"a\" : { } } \n"),
            R"({"b":[1,true,null],"a":{}})");
  EXPECT_EQ(parsed("[[],[{}],\"\",-0]"), R"([[],[{}],"",-0])");
  EXPECT_EQ(parsed("\"x\""), "\"x\"");
}

TEST(ParseJson, names_line_and_column_of_a_fault) {
  EXPECT_THAT(fault("{\n  \"a\": 1,\n  \"é\": tru\n}"), HasSubstr("line 3, column "));
  EXPECT_THAT(fault("{\"a\" 1}"), HasSubstr("line 1, column 6"));
}

TEST(ParseJson, refuses_a_duplicate_key_but_not_the_same_key_elsewhere) {
  EXPECT_THAT(fault("{\"a\":1,\"b\":2,\n\"a\":3}"), HasSubstr("line 2, column "));
  EXPECT_THAT(fault("{\"a\":1,\"a\":3}"), HasSubstr("duplicate key 'a'"));
  EXPECT_THAT(fault(R"({"a":1,"\u0061":3})"), HasSubstr("duplicate key 'a'"));
  EXPECT_EQ(parsed(R"({"a":{"c":1},"b":2})", {.members = 2}), R"({"a":{"c":1},"b":2})");
  EXPECT_THAT(fault(R"({"a":{"c":1,"d":2},"b":2})", {.members = 1}),
              HasSubstr("an object has more than 1 members"));
  EXPECT_EQ(parsed(R"({"a":{"a":1},"b":[{"a":2},{"a":3}]})"),
            R"({"a":{"a":1},"b":[{"a":2},{"a":3}]})");
}

TEST(ParseJson, takes_one_value_and_nothing_else) {
  EXPECT_THAT(fault("1 2"), HasSubstr("there is text after the value"));
  EXPECT_THAT(fault("{} x"), HasSubstr("there is text after the value"));
  EXPECT_THAT(fault(""), HasSubstr("ends"));
  EXPECT_THAT(fault("  "), HasSubstr("ends"));
  EXPECT_THAT(fault("[1,"), HasSubstr("ends"));
}

TEST(ParseJson, refuses_what_is_nearly_json) {
  for (const char* text : {"[1,]", "{\"a\":1,}", "{a:1}", "'a'", "// c\n1", "NaN", "Infinity", "01",
                           "+1", ".5", "1.", "-", "tRue", "\"\t\"", "\"\\x\"", "\xEF\xBB\xBF{}"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
  EXPECT_FALSE(parse_json(std::string_view("\"a\0b\"", 5)));
}

TEST(ParseJson, refuses_text_that_is_not_utf_8) {
  for (const char* text : {"\"\xff\"", "\"\xc3\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"", "{\"\x80\":1}"}) {
    EXPECT_FALSE(parse_json(text)) << text;
  }
}

TEST(ParseJson, refuses_half_a_surrogate_pair) {
  EXPECT_FALSE(parse_json(R"("\ud800")"));
  EXPECT_FALSE(parse_json(R"("\udc00")"));
  EXPECT_FALSE(parse_json(R"("\ud800\u0041")"));
  EXPECT_EQ(JsonView(json(R"("\ud83d\ude00\u00e9\u0000")")).string(),
            std::string("\xF0\x9F\x98\x80\xC3\xA9\0", 7));
}

TEST(ParseJson, keeps_every_digit_of_a_number) {
  EXPECT_EQ(parsed("9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(parsed("-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(parsed("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(parsed("[123456789012345678901234567890]"), "[123456789012345678901234567890]");
  EXPECT_EQ(parsed("[0.1,1.0,1e5]"), "[0.1,1.0,1e5]");
}

TEST(ParseJson, refuses_a_number_that_no_double_can_hold) {
  EXPECT_THAT(fault("[1e400]"), HasSubstr("out of range"));
  EXPECT_THAT(fault("-1e400"), HasSubstr("out of range"));
  EXPECT_FALSE(parse_json("1e99999999999999999999"));
  EXPECT_EQ(JsonView(json("1e-400")).number(), 0.0);
}

TEST(ParseJson, keeps_its_limits_of_depth_and_size) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(64)));
  EXPECT_THAT(fault(nested(65)), HasSubstr("more than 64 levels"));
  EXPECT_FALSE(parse_json(nested(1'000'000)));
  EXPECT_TRUE(parse_json(nested(3), {.depth = 3}));
  EXPECT_FALSE(parse_json(nested(4), {.depth = 3}));
  EXPECT_TRUE(parse_json("[1234]", {.bytes = 6}));
  EXPECT_THAT(fault("[12345]", {.bytes = 6}), HasSubstr("the limit is 6"));
}

TEST(ParseJson, reads_back_what_was_built) {
  arbitrary::check(300, [] {
    const Json value = *arbitrary::json();
    RC_ASSERT(json(value.text()) == value);
    RC_ASSERT(json(pretty(value)) == value);
    RC_ASSERT(json(canonical(value).text()) == canonical(value));
  });
}

TEST(Canonical, equal_values_have_one_text) {
  EXPECT_EQ(canonical(json(R"({"b":1,"a":{"d":[2.0,1e2],"c":null}})")).text(),
            R"({"a":{"c":null,"d":[2,100]},"b":1})");
  EXPECT_EQ(canonical(json(R"({"b":"\u0041\/","":0.10})")).text(), R"({"":0.1,"b":"A/"})");
  EXPECT_EQ(canonical(json("[-0,-0.0,0e9,1E0,1.50]")).text(), "[0,0,0,1,1.5]");
  EXPECT_EQ(canonical(json("18446744073709551615")).text(), "18446744073709551615");
}

TEST(Canonical, is_stable) {
  arbitrary::check(300, [] {
    const Json once = canonical(*arbitrary::json());
    RC_ASSERT(canonical(once) == once);
  });
}

TEST(Canonical, doubles_read_back_as_themselves) {
  arbitrary::check(500, [] {
    const double value = *arbitrary::number();
    RC_ASSERT(JsonView(canonical(Json(value))).number().value() == value);
  });
}

TEST(Pretty, is_indented_by_two) {
  EXPECT_EQ(pretty(json(R"({"a":[1,{"b":"x:,y"}],"c":{},"d":[]})")), R"({
  "a": [
    1,
    {
      "b": "x:,y"
    }
  ],
  "c": {},
  "d": []
})");
  EXPECT_EQ(pretty(Json("x")), "\"x\"");
}

TEST(ReadJson, finds_members_and_paths) {
  const Json value = json(R"({"a":{"b":[{"c":1},{"c":"two"}]},"x\ty":true,"n":null,"":5})");
  EXPECT_EQ(field(value, "a.b[1].c").json(), Json("two"));
  EXPECT_EQ(field(value, "a.b[0]").json(), json(R"({"c":1})"));
  EXPECT_EQ(field(value, "").json(), value);
  EXPECT_EQ(field(json("[[7]]"), "[0][0]").json(), Json(7));
  EXPECT_EQ(JsonView(value)["x\ty"].json(), Json(true));
  EXPECT_EQ(field(value, "n").json(), Json());
  EXPECT_EQ(JsonView(value)[""].json(), Json(5));
}

std::string message_of(const auto& result) { return result ? "no error" : result.error().text(); }

TEST(ReadJson, a_missing_place_is_named_by_its_path) {
  const Json value = json(R"({"a":{"b":[{"c":1}]},"n":null,"s":"text"})");
  EXPECT_EQ(message_of(field(value, "words").integer()), "'words' is missing");
  EXPECT_EQ(message_of(field(value, "a.b[0].d").string()), "'a.b[0].d' is missing");
  EXPECT_EQ(message_of(field(value, "a.b[1].c").json()), "'a.b[1]' is missing");
  EXPECT_EQ(message_of(JsonView(value)["a"]["b"][1]["c"].number()), "'a.b[1]' is missing");
  EXPECT_EQ(message_of(JsonView(value)["a"]["x y"]["z"].json()), R"('a["x y"]' is missing)");
  EXPECT_EQ(message_of(JsonView(value)[""].json()), R"('[""]' is missing)");
  EXPECT_EQ(message_of(JsonView(value)["a.b"]["\n"].json()), R"('["a.b"]' is missing)");
  EXPECT_FALSE(field(value, "a.d").exists());
  EXPECT_TRUE(field(value, "n").exists());
  EXPECT_EQ(field(value, "words").integer().value_or(7), 7);
  EXPECT_THAT(elements(field(value, "words")), IsEmpty());
}

TEST(ReadJson, only_an_object_has_members_and_only_a_list_has_elements) {
  const Json value = json(R"({"a":[1],"n":null,"s":"text"})");
  EXPECT_EQ(message_of(field(value, "s.x").json()), "'s' is a string, not an object");
  EXPECT_EQ(message_of(field(value, "n.x.y").json()), "'n' is null, not an object");
  EXPECT_EQ(message_of(field(value, "a.x").json()), "'a' is a list, not an object");
  EXPECT_EQ(message_of(field(value, "[0]").json()), "the value is an object, not a list");
  EXPECT_EQ(message_of(JsonView(value)["a"][0][0].json()), "'a[0]' is 1, not a list");
  EXPECT_EQ(message_of(JsonView(Json(true))["a"].json()), "the value is true, not an object");
}

TEST(ReadJson, a_text_that_is_not_a_path_finds_nothing) {
  const Json value = json(R"({"a":{"b":[{"c":1}]}})");
  for (const std::string path :
       {"a.b[-1]", "a.b[", "a.b[x]", "a..b", ".a", "a.", "a.b[0]c", "a.b[0]]"}) {
    EXPECT_EQ(message_of(field(value, path).json()), "'" + path + "' is missing");
  }
}

TEST(ReadJson, a_value_of_another_kind_is_named_with_its_place) {
  const Json value = json(R"({"s":"1","t":true,"f":1.0,"n":null,"o":{},"l":[],
                              "big":9223372036854775808,"small":-9223372036854775809})");
  EXPECT_EQ(message_of(field(value, "s").integer()), "'s' is a string, not an integer");
  EXPECT_EQ(message_of(field(value, "t").integer()), "'t' is true, not an integer");
  EXPECT_EQ(message_of(field(value, "f").integer()), "'f' is 1.0, not an integer");
  EXPECT_EQ(message_of(field(value, "n").integer()), "'n' is null, not an integer");
  EXPECT_EQ(message_of(field(value, "big").integer()),
            "'big' is 9223372036854775808, not an integer of 64 bits");
  EXPECT_EQ(message_of(field(value, "small").integer()),
            "'small' is -9223372036854775809, not an integer of 64 bits");
  EXPECT_EQ(message_of(field(value, "t").number()), "'t' is true, not a number");
  EXPECT_EQ(message_of(field(value, "o").string()), "'o' is an object, not a string");
  EXPECT_EQ(message_of(field(value, "l").boolean()), "'l' is a list, not true or false");
  EXPECT_EQ(message_of(JsonView(Json(1)).string()), "the value is 1, not a string");
}

TEST(ReadJson, reads_each_kind_of_value) {
  EXPECT_EQ(JsonView(json("-12")).integer(), -12);
  EXPECT_EQ(JsonView(json("9223372036854775807")).integer(), 9223372036854775807);
  EXPECT_EQ(JsonView(json("1.5")).number(), 1.5);
  EXPECT_EQ(JsonView(json("12")).number(), 12.0);
  EXPECT_EQ(JsonView(Json(false)).boolean(), false);
  EXPECT_EQ(JsonView(Json("x")).string(), "x");
  EXPECT_THAT(elements(json("[1,\"a,]\",[2]]")), ElementsAre(Json(1), Json("a,]"), json("[2]")));
  EXPECT_THAT(elements(json("{}")), IsEmpty());
  EXPECT_THAT(members(json(R"({"a\"}":1,"b":{"c":2}})")),
              ElementsAre(Pair("a\"}", Json(1)), Pair("b", json(R"({"c":2})"))));
  EXPECT_THAT(members(json("[]")), IsEmpty());
}

TEST(ReadJson, understands_every_escape_in_text_that_others_wrote) {
  EXPECT_EQ(
      JsonView(Json::trusted(R"("\ud83d\ude00x\u00e9\u20ac\u0041\/\b\f\n\r\t\"\\")")).string(),
      "\xF0\x9F\x98\x80x\xC3\xA9\xE2\x82\xAC"
      "A/\b\f\n\r\t\"\\");
}

// Whatever the text, parsing ends, and an accepted value can be read.
TEST(ParseJson, damaged_text_is_an_error_or_a_value_and_never_a_crash) {
  const std::string sound =
      R"({"id":7,"words":[1.5e3,-0.25,true,null,"a\u00e9\n\ud83d\ude00"],"x":{"y":[[],{}],"z":""}})";
  testing::Damage damage(1);
  for (int i = 0; i < 20'000; ++i) {
    const Result<Json> value = parse_json(damage(sound));
    if (!value) continue;
    EXPECT_EQ(parse_json(value->text()), value);
    EXPECT_EQ(canonical(canonical(*value)), canonical(*value));
  }
}

// The readers trust their text, but must stay inside it even if it is broken.
TEST(ReadJson, broken_trusted_text_is_never_read_beyond_its_end) {
  const std::string sound = R"({"id":7,"words":[1.5e3,"a\u00e9\n\ud83d\ude00"],"x":{"y":[[],{}]}})";
  testing::Damage damage(2);
  for (int i = 0; i < 20'000; ++i) {
    const Json value = Json::trusted(damage(sound));
    (void)canonical(value);
    (void)pretty(value);
    (void)field(value, "words[1]").json();
    (void)JsonView(value).string();
    for (const auto& [key, one] : members(value)) (void)elements(one);
  }
}

}  // namespace
}  // namespace pawl
