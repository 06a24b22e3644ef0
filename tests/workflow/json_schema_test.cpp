#include "workflow/json_schema.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"

namespace pawl::workflow {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Json json(std::string_view text) {
  auto parsed = parse_json(text, {.depth = 1000});
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed ? *std::move(parsed) : Json();
}

std::vector<SchemaFinding> findings(std::string_view schema, std::string_view value) {
  const auto compiled = JsonSchema::compile(json(schema));
  EXPECT_TRUE(compiled.has_value()) << schema << ": " << (compiled ? "" : compiled.error().text());
  return compiled ? compiled->check(json(value)) : std::vector<SchemaFinding>{};
}

struct Case {
  std::string_view schema;
  std::vector<std::string_view> fitting;
  std::vector<std::string_view> misfitting;
};

class JsonSchemaKeyword : public ::testing::TestWithParam<Case> {};

TEST_P(JsonSchemaKeyword, tells_fitting_values_from_others) {
  const Case& each = GetParam();
  for (const std::string_view value : each.fitting) {
    const auto found = findings(each.schema, value);
    EXPECT_THAT(found, IsEmpty()) << each.schema << " refuses " << value << ": "
                                  << (found.empty() ? "" : found[0].message);
  }
  for (const std::string_view value : each.misfitting) {
    EXPECT_FALSE(findings(each.schema, value).empty()) << each.schema << " accepts " << value;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Values, JsonSchemaKeyword,
    ::testing::Values(
        Case{"true", {"1", "null"}, {}}, Case{"false", {}, {"1", "null"}},
        Case{R"({"type":"integer"})", {"1", "1.0", "1e3"}, {"1.5", "\"1\"", "null"}},
        Case{R"({"type":"number"})", {"1", "1.5"}, {"\"1\"", "true"}},
        Case{R"({"type":["string","null"]})", {"\"a\"", "null"}, {"1", "[]", "{}", "false"}},
        Case{R"({"enum":[1,"a",{"b":[1.0]}]})", {"1.0", "\"a\"", R"({"b":[1]})"}, {"2", "\"1\""}},
        Case{R"({"const":{"a":1,"b":2}})", {R"({"b":2,"a":1})"}, {R"({"a":1})", "null"}},
        Case{R"({"enum":[1,2],"const":3})", {}, {"1", "3"}},
        Case{R"({"minimum":1.5,"maximum":3})", {"1.5", "3", "\"x\""}, {"1.4", "3.01"}},
        Case{
            R"({"maximum":9223372036854775806})", {"9223372036854775806"}, {"9223372036854775807"}},
        Case{R"({"exclusiveMinimum":1,"exclusiveMaximum":2})", {"1.5"}, {"1", "2"}},
        Case{R"({"multipleOf":0.0001})", {"0.0075", "1", "0"}, {"0.00751"}},
        Case{R"({"multipleOf":1e-8})", {"12391239123"}, {}},
        Case{R"({"multipleOf":3})", {"9", "-9", "null"}, {"10", "1e308"}},
        Case{R"({"minLength":2,"maxLength":3})",
             {"\"ab\"", "\"\u6F22\u5B57\"", "5"},
             {"\"\u6F22\"", "\"abcd\""}},
        Case{R"({"pattern":"^a\\d+$"})", {"\"a12\"", "12"}, {"\"a\"", "\"xa12\"", "\"a1\\n\""}},
        Case{R"({"pattern":"\\u00e9"})", {"\"caf\u00E9\""}, {"\"cafe\""}}));

INSTANTIATE_TEST_SUITE_P(
    Arrays, JsonSchemaKeyword,
    ::testing::Values(Case{R"({"items":{"type":"integer"}})", {"[]", "[1,2]", "{}"}, {"[1,\"a\"]"}},
                      Case{R"({"prefixItems":[{"type":"string"}],"items":{"type":"integer"}})",
                           {"[\"a\",1]", "[]"},
                           {"[1]", "[\"a\",\"b\"]"}},
                      Case{R"({"items":[{"type":"string"}],"additionalItems":false})",
                           {"[\"a\"]"},
                           {"[\"a\",1]"}},
                      Case{R"({"items":false})", {"[]"}, {"[1]"}},
                      Case{R"({"contains":{"const":1}})", {"[0,1]", "null"}, {"[]", "[0]"}},
                      Case{R"({"contains":{"const":1},"minContains":2,"maxContains":3})",
                           {"[1,1]", "[1,1,1,0]"},
                           {"[1]", "[1,1,1,1]"}},
                      Case{R"({"contains":{"const":1},"minContains":0})", {"[]"}, {}},
                      Case{R"({"minItems":1,"maxItems":2})", {"[1]", "[1,2]"}, {"[]", "[1,2,3]"}},
                      Case{R"({"uniqueItems":true})",
                           {"[1,2]", "[1,true]", "[\"1\",1]"},
                           {"[1,1.0]", R"([{"a":1,"b":2},{"b":2,"a":1}])"}},
                      Case{R"({"uniqueItems":false})", {"[1,1]"}, {}}));

INSTANTIATE_TEST_SUITE_P(
    Objects, JsonSchemaKeyword,
    ::testing::Values(
        Case{R"({"properties":{"a":{"type":"integer"},"b":false}})",
             {"{}", R"({"a":1,"c":2})", "[]"},
             {R"({"a":"x"})", R"({"b":1})"}},
        Case{R"({"patternProperties":{"^x-":{"type":"string"}}})",
             {R"({"x-a":"b","y":1})"},
             {R"({"x-a":1})"}},
        Case{
            R"({"properties":{"a":true},"patternProperties":{"^x-":true},"additionalProperties":false})",
            {R"({"a":1,"x-b":2})"},
            {R"({"c":1})"}},
        Case{R"({"additionalProperties":{"type":"integer"}})", {R"({"a":1})"}, {R"({"a":"b"})"}},
        Case{R"({"propertyNames":{"maxLength":2}})", {R"({"ab":1})"}, {R"({"abc":1})"}},
        Case{R"({"required":["a","b"]})", {R"({"a":null,"b":1})", "5"}, {R"({"a":1})"}},
        Case{
            R"({"minProperties":1,"maxProperties":1})", {R"({"a":1})"}, {"{}", R"({"a":1,"b":2})"}},
        Case{R"({"dependencies":{"a":["b"],"c":{"required":["d"]}}})",
             {R"({"b":1})", R"({"a":1,"b":1})", R"({"c":1,"d":1})"},
             {R"({"a":1})", R"({"c":1})"}},
        Case{R"({"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":{"maxProperties":1}}})",
             {R"({"a":1,"b":1})", R"({"c":1})"},
             {R"({"a":1})", R"({"c":1,"x":1})"}}));

INSTANTIATE_TEST_SUITE_P(
    Combinations, JsonSchemaKeyword,
    ::testing::Values(
        Case{R"({"allOf":[{"minimum":1},{"maximum":2}]})", {"1", "2"}, {"0", "3"}},
        Case{R"({"anyOf":[{"type":"string"},{"minimum":2}]})", {"\"a\"", "2"}, {"1"}},
        Case{R"({"oneOf":[{"minimum":1},{"minimum":2}]})", {"1"}, {"0", "2"}},
        Case{R"({"not":{"type":"string"}})", {"1"}, {"\"a\""}},
        Case{R"({"if":{"minimum":10},"then":{"multipleOf":10},"else":{"multipleOf":2}})",
             {"20", "4"},
             {"15", "3"}},
        Case{R"({"then":false,"else":false})", {"1"}, {}},
        Case{R"({"$defs":{"p":{"minimum":1}},"$ref":"#/$defs/p","maximum":3})", {"2"}, {"0", "4"}},
        Case{R"({"definitions":{"a/b":{"type":"string"},"c%d":{"type":"null"}},
                 "anyOf":[{"$ref":"#/definitions/a~1b"},{"$ref":"#/definitions/c%25d"}]})",
             {"\"x\"", "null"},
             {"1"}},
        Case{R"({"$id":"https://e.x/s","$defs":{"n":{"$anchor":"here","type":"null"}},
                 "items":{"$ref":"https://e.x/s#here"}})",
             {"[null]"},
             {"[1]"}},
        Case{R"({"$schema":"http://json-schema.org/draft-07/schema#","properties":
                 {"a":{"$ref":"#/definitions/d","maximum":1}},"definitions":{"d":{"type":"number"}}})",
             {R"({"a":5})"},
             {R"({"a":"x"})"}},
        Case{R"({"properties":{"next":{"$ref":"#"},"v":{"type":"integer"}}})",
             {R"({"v":1,"next":{"next":{"v":2}}})"},
             {R"({"next":{"next":{"v":"x"}}})"}},
        Case{R"({"title":"t","format":"email","x-own":{"$ref":5},"enum":[{"$ref":"nowhere"}]})",
             {R"({"$ref":"nowhere"})"},
             {"1"}}));

TEST(JsonSchema, says_where_what_was_expected_and_what_is_there) {
  const auto found = findings(
      R"({"properties":{"stages":{"items":{"required":["name"],"properties":{"words":{"minimum":5},
          "kind":{"enum":["a","b"]}}}}}})",
      R"({"stages":[{"name":"x","words":3},{"kind":"c"}]})");
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].path, "stages[0].words");
  EXPECT_EQ(found[0].expected, ">= 5");
  EXPECT_EQ(found[0].actual, "3");
  EXPECT_EQ(found[0].message, "stages[0].words must be >= 5, not 3");
  EXPECT_EQ(found[1].message, "stages[1].name is missing");
  EXPECT_EQ(found[2].expected, R"(one of "a", "b")");
  EXPECT_EQ(found[2].message, R"(stages[1].kind must be one of "a", "b", not "c")");
}

TEST(JsonSchema, speaks_in_whole_sentences) {
  const auto message = [](std::string_view schema, std::string_view value) {
    const auto found = findings(schema, value);
    return found.size() == 1 ? found[0].message : std::to_string(found.size()) + " findings";
  };
  EXPECT_EQ(message(R"({"type":["integer","null"]})", "\"x\""),
            "the value must be an integer or null, not \"x\"");
  EXPECT_EQ(message(R"({"minItems":2})", "[1]"),
            "the value must be at least 2 elements long, not 1 element");
  EXPECT_EQ(message(R"({"maxLength":1})", "\"abc\""),
            "the value must be at most 1 character long, not 3 characters");
  EXPECT_EQ(message(R"({"additionalProperties":false})", R"({"a.b":1})"),
            R"(["a.b"] is not allowed)");
  EXPECT_EQ(message(R"({"anyOf":[{"type":"string"},{"minimum":2}]})", "1"),
            "the value fits none of 2 alternatives; in the nearest, the value must be text, not 1");
  EXPECT_EQ(message(R"({"oneOf":[true,true,false]})", "1"),
            "the value must be as exactly one of 3 alternatives has it, not as 2 of them have it");
  EXPECT_EQ(message(R"({"type":"null"})", "\"" + std::string(200, 'x') + "\""),
            "the value must be null, not \"" + std::string(79, 'x') + "\u2026");
}

TEST(JsonSchema, tells_at_most_a_hundred_findings) {
  std::string value = "[0";
  for (int i = 0; i < 500; ++i) value += ",0";
  EXPECT_EQ(findings(R"({"items":{"minimum":1}})", value + "]").size(), 100U);
}

TEST(JsonSchema, refuses_a_schema_that_it_would_only_pretend_to_check) {
  const auto refusal = [](std::string_view schema) {
    const auto compiled = JsonSchema::compile(json(schema));
    EXPECT_FALSE(compiled.has_value()) << schema;
    return compiled ? std::string() : compiled.error().text();
  };
  EXPECT_THAT(refusal(R"({"items":{"$ref":"#/$defs/x"}})"),
              StartsWith("JSON Schema, #/items/$ref: there is no schema at \"#/$defs/x\""));
  EXPECT_THAT(refusal(R"({"$ref":"http://e.x/other.json"})"), HasSubstr("there is no schema at"));
  EXPECT_THAT(refusal(R"x({"properties":{"a":{"pattern":"(?=x)"}}})x"),
              HasSubstr("#/properties/a/pattern: the pattern \"(?=x)\" is not valid"));
  EXPECT_THAT(refusal(R"({"type":"strng"})"),
              HasSubstr("unknown type \"strng\"; did you mean \"string\"?"));
  for (const std::string_view wrong :
       {R"("x")", R"({"items":3})", R"({"minimum":"5"})", R"({"minLength":-1})",
        R"({"minLength":1.5})", R"({"required":"a"})", R"({"enum":1})", R"({"allOf":{}})",
        R"({"properties":[]})", R"({"multipleOf":0})", R"({"unevaluatedProperties":false})",
        R"({"$dynamicRef":"#x"})", R"({"patternProperties":{"[":true}})", R"({"type":[1]})",
        R"({"exclusiveMinimum":true})", R"({"$ref":1})"}) {
    EXPECT_FALSE(refusal(wrong).empty());
  }
}

TEST(JsonSchema, ends_whatever_the_schema_says) {
  EXPECT_THAT(findings(R"({"$ref":"#"})", "1").at(0).message, HasSubstr("refers to itself"));
  EXPECT_THAT(findings(R"({"anyOf":[{"$ref":"#"},{"$ref":"#"}]})", "1").at(0).message,
              HasSubstr("refers to itself"));
  EXPECT_THAT(findings(R"({"not":{"$ref":"#"}})", "1").at(0).message,
              HasSubstr("refers to itself"));
  // Branches 2^40 times without ever going deep.
  std::string schema = R"({"$defs":{"d0":{"type":"integer"})";
  for (int i = 1; i <= 40; ++i) {
    const std::string below = R"({"$ref":"#/$defs/d)" + std::to_string(i - 1) + "\"}";
    schema += ",\"d" + std::to_string(i) + R"(":{"allOf":[)" + below + "," + below + "]}";
  }
  EXPECT_EQ(findings(schema + R"(},"$ref":"#/$defs/d40"})", "1").size(), 1U);
  std::string deep;
  for (int i = 0; i < 900; ++i) deep += R"({"not":)";
  EXPECT_FALSE(JsonSchema::compile(json(deep + "true" + std::string(900, '}'))).has_value());
}

TEST(JsonSchema, is_shared_by_its_copies) {
  const auto compiled = JsonSchema::compile(json(R"({"type":"null"})"));
  ASSERT_TRUE(compiled.has_value());
  const JsonSchema copy = *compiled;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_THAT(copy.check(Json()), IsEmpty());
}

}  // namespace
}  // namespace pawl::workflow
