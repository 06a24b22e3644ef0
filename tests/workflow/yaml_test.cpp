#include "workflow/yaml.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/workflow/file.hpp"

namespace pawl::workflow {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

YamlNode accepted(std::string_view text) {
  auto parsed = parse_yaml(text, "w.yaml");
  EXPECT_TRUE(parsed.has_value()) << text << "\n" << (parsed ? "" : render(parsed.error(), text));
  return parsed ? *std::move(parsed) : YamlNode{};
}

std::string json_of(std::string_view text) { return to_json(accepted(text)).text(); }

std::vector<Diagnostic> refused(std::string_view text) {
  auto parsed = parse_yaml(text, "w.yaml");
  EXPECT_FALSE(parsed.has_value()) << text;
  return parsed ? std::vector<Diagnostic>{} : std::move(parsed.error());
}

/// "E003 3:1-2" for each.
std::vector<std::string> places_of(std::string_view text) {
  std::vector<std::string> places;
  for (const Diagnostic& fault : refused(text)) {
    EXPECT_EQ(fault.file, "w.yaml");
    EXPECT_NE(find_code(fault.code), nullptr) << fault.code;
    places.push_back(fault.code + " " + std::to_string(fault.place.line) + ":" +
                     std::to_string(fault.place.column) + "-" +
                     std::to_string(fault.place.end_column));
  }
  return places;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

TEST(Yaml, is_read_with_the_core_schema_of_one_dot_two) {
  EXPECT_EQ(json_of("[true, True, FALSE, null, ~, yes, no, on, off, y]"),
            R"([true,true,false,null,null,"yes","no","on","off","y"])");
  EXPECT_EQ(json_of("[1, -7, +3, 007, 0x1F, 0o17, 0b1, 1_000]"),
            R"([1,-7,3,7,31,15,"0b1","1_000"])");
  EXPECT_EQ(json_of("[1.50, .5, 1., -1e3, +2.E-1, 1e-999, 1.2.3, 12:30, e5, .]"),
            R"([1.50,0.5,1.0,-1e3,2e-1,1e-999,"1.2.3","12:30","e5","."])");
  EXPECT_EQ(json_of("[\"true\", '1', \"null\"]"), R"(["true","1","null"])");
  EXPECT_EQ(json_of("a: 123456789012345678901234567890\nb: -0"),
            R"({"a":123456789012345678901234567890,"b":0})");
  EXPECT_EQ(json_of("a:\nb: ''"), R"({"a":null,"b":""})");
  EXPECT_EQ(json_of("a: |\n  x\n   y\nb: >-\n  x\n  y\n"), "{\"a\":\"x\\n y\\n\",\"b\":\"x y\"}");
  EXPECT_EQ(json_of("--- \na: ${item.path}\n...\n"), R"({"a":"${item.path}"})");
}

TEST(Yaml, knows_the_place_of_every_key_and_value) {
  const YamlNode root =
      accepted("a: 1\nb\u00E9: \"x y\"\nc:\n  - |\n    foo\n    bar\n  - z\nd:\ne: [p, {q: r}]\n");
  EXPECT_EQ(root.place, (Place{1, 1, 5}));
  EXPECT_EQ(root.map[0].value.place, (Place{1, 4, 5}));
  EXPECT_EQ(root.map[1].key_place, (Place{2, 1, 3}));
  EXPECT_EQ(root.map[1].value.place, (Place{2, 5, 10})) << "quotes included";
  EXPECT_EQ(root.find("c")->place, (Place{4, 3, 6}));
  EXPECT_EQ(root.find("c")->list[0].place, (Place{5, 5, 8}));
  EXPECT_TRUE(root.find("c")->list[0].is_block_text);
  EXPECT_EQ(root.find("d")->place, (Place{8, 1, 2})) << "the key stands for its missing value";
  EXPECT_EQ(root.find("e")->place, (Place{9, 4, 15}));
  EXPECT_TRUE(root.find("e")->is_flow);
  EXPECT_EQ(root.find("e")->list[1].map[0].value.place, (Place{9, 12, 13}));
  EXPECT_TRUE(root.find("e")->list[0].is_flow);
  EXPECT_FALSE(root.find("a")->is_flow);
  EXPECT_EQ(root.find("nothing"), nullptr);
  EXPECT_EQ(root.find_member("d")->key, "d");
}

TEST(Yaml, counts_columns_in_characters) {
  const YamlNode root = accepted("\u6F22\u5B57: [\u00E9, \U0001F600, x]\n");
  EXPECT_EQ(root.map[0].value.list[2].place, (Place{1, 12, 13}));
}

TEST(Yaml, skips_a_byte_order_mark_and_reads_windows_line_ends) {
  const YamlNode root = accepted(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: |\r\n  x\r\n  y\r\n");
  EXPECT_EQ(root.map[0].key_place, (Place{1, 1, 2}));
  EXPECT_EQ(root.map[1].key_place, (Place{2, 1, 2}));
  EXPECT_EQ(root.map[1].value.text, "x\ny\n");
  EXPECT_THAT(places_of("a: 1\r\nb: 2\r\na: 3\r\n"), ElementsAre("E003 3:1-2"));
}

TEST(Yaml, says_in_words_what_a_node_is) {
  EXPECT_EQ(in_words(accepted("{a: b}")), "a map");
  EXPECT_EQ(in_words(accepted("[a]")), "a list");
  EXPECT_EQ(in_words(accepted("text")), "text");
  EXPECT_EQ(in_words(accepted("30")), "the number 30");
  EXPECT_EQ(in_words(accepted("true")), "true");
  EXPECT_EQ(in_words(YamlNode{}), "nothing");
}

TEST(Yaml, tells_all_duplicate_keys_with_the_line_of_the_first) {
  EXPECT_THAT(places_of("a: 1\nb: 2\na: 3\nc: {d: 1, \"d\": 2}\na: 4\n"),
              ElementsAre("E003 3:1-2", "E003 4:11-14", "E003 5:1-2"));
  const Diagnostic fault = refused("a: 1\nb: 2\na: 3\n").front();
  EXPECT_EQ(fault.message, "the key \"a\" appears twice");
  EXPECT_EQ(fault.help, "the first is on line 1; keep one of them");
}

TEST(Yaml, refuses_anchors_aliases_merge_keys_and_tags_all_at_once) {
  EXPECT_THAT(places_of("a: &x 1\nb: *x\n<<: {c: 1}\nd: !t 2\ne: &y\n  f: !!map {}\n*x : 3\n"),
              ElementsAre("E004 1:4-6", "E004 2:4-6", "E004 3:1-3", "E005 4:4-6", "E004 5:4-6",
                          "E005 6:6-11", "E004 7:1-3"));
  EXPECT_EQ(json_of("'<<': '*x'\na: \"&b\""), R"({"<<":"*x","a":"&b"})");
}

TEST(Yaml, refuses_a_second_document) {
  EXPECT_THAT(places_of("a: 1\n---\nb: 2\n"), ElementsAre("E006 2:1-4"));
  EXPECT_EQ(places_of("a: 1\n...\nb: 2\n").front().substr(0, 4), "E006");
  EXPECT_THAT(places_of("a: 1\n---\n"), ElementsAre("E006 2:1-4"));
}

TEST(Yaml, refuses_keys_that_are_not_text) {
  EXPECT_THAT(places_of("1: a\ntrue: b\n~: c\n0x1: d\n.5: e\n? [x]\n: f\n? {y: z}\n: g\n"),
              ElementsAre("E007 1:1-2", "E007 2:1-5", "E007 3:1-2", "E007 4:1-4", "E007 5:1-3",
                          "E007 6:3-4", "E007 8:3-4"));
  EXPECT_EQ(refused("1: a").front().help, "quote it: \"1\"");
  EXPECT_EQ(json_of("\"1\": a\nyes: b\non: c\n'': d"), R"({"1":"a","yes":"b","on":"c","":"d"})");
}

TEST(Yaml, refuses_numbers_that_json_cannot_say) {
  EXPECT_THAT(
      places_of("a: .inf\nb: -.Inf\nc: .nan\nd: 1e999\ne: 0x11112222333344445\nf: '.inf'\n"),
      ElementsAre("E014 1:4-8", "E014 2:4-9", "E014 3:4-8", "E014 4:4-9", "E014 5:4-23"));
}

TEST(Yaml, refuses_an_empty_document) {
  EXPECT_THAT(places_of(""), ElementsAre("E001 0:0-0"));
  EXPECT_THAT(places_of("# only a comment\n"), ElementsAre("E001 0:0-0"));
  EXPECT_EQ(refused("---\n").front().message, "the file is empty");
  EXPECT_EQ(refused("~").front().message, "the file is empty");
}

TEST(Yaml, refuses_tabs_in_the_indentation_but_not_in_text) {
  EXPECT_THAT(places_of("a:\n\tb: 1\nc:\n  \td: 2\n"), ElementsAre("E009 2:1-2", "E009 4:3-4"));
  EXPECT_THAT(places_of("a: |\n\tx\n"), ElementsAre("E009 2:1-2"));
  EXPECT_THAT(places_of("a: |\n    x\n  \ty\n"), ElementsAre("E009 3:3-4"));
  EXPECT_EQ(json_of("a: |\n  all:\n  \tcc x.c\nb: 'x\ty'\n\t\n"),
            "{\"a\":\"all:\\n\\tcc x.c\\n\",\"b\":\"x\\ty\"}");
  EXPECT_EQ(json_of("a:\n  - >- # note\n    x\n    \ty\n"), "{\"a\":[\"x\\n\\ty\"]}");
}

TEST(Yaml, refuses_directives) {
  EXPECT_THAT(places_of("%YAML 1.1\n---\na: 1\n"), ElementsAre("E005 1:1-10"));
  EXPECT_THAT(places_of("%TAG ! x\n%FOO\n---\na: 1\n"), ElementsAre("E005 1:1-9", "E005 2:1-5"));
}

// A known trap: the parser never returns from broken UTF-8 in a line that begins with %.
TEST(Yaml, refuses_what_is_not_utf8_before_the_parser_sees_it) {
  EXPECT_THAT(places_of("%\xFF\na: 1\n"), ElementsAre("E002 1:2-3"));
  EXPECT_THAT(places_of("a: \xC3\xA9\xC3(\n"), ElementsAre("E002 1:5-6"));
  EXPECT_THAT(places_of("a: \xED\xA0\x80\n"), ElementsAre("E002 1:4-5")) << "a surrogate";
  EXPECT_THAT(places_of("a: \xC0\x80\n"), ElementsAre("E002 1:4-5")) << "an overlong form";
  EXPECT_THAT(places_of("a: \xF0\x9F\x98"), ElementsAre("E002 1:4-5")) << "cut off";
  EXPECT_THAT(places_of(std::string_view("a: 1\nb: x\0y\n", 12)), ElementsAre("E002 2:5-6"));
  EXPECT_THAT(places_of("a: \x1B[31m\n"), ElementsAre("E002 1:4-5"));
}

TEST(Yaml, says_that_references_in_flow_style_must_be_quoted) {
  const Diagnostic list = refused("a:\n  run: [convert, ${item.path}]\n").front();
  EXPECT_EQ(list.code, "E015");
  EXPECT_EQ(list.message, "references in [ ] and { } must be quoted: \"${item.path}\"");
  EXPECT_EQ(list.place, (Place{2, 18, 30}));
  ASSERT_TRUE(list.suggestion.has_value());
  EXPECT_EQ(*list.suggestion, (Suggestion{"${item.path}", "\"${item.path}\""}));

  const Diagnostic map = refused("env: { NAME: ${item}, X: 1 }\n").front();
  EXPECT_EQ(map.message, "references in [ ] and { } must be quoted: \"${item}\"");
  EXPECT_EQ(map.place, (Place{1, 14, 21}));
  const Diagnostic inside = refused("a: [x/${item.path}/y, b]\n").front();
  EXPECT_EQ(inside.message, "references in [ ] and { } must be quoted: \"x/${item.path}/y\"");
  EXPECT_EQ(inside.place, (Place{1, 5, 21}));
  EXPECT_EQ(refused("a: {${item}: 1}\n").front().suggestion->replace, "${item}");
  EXPECT_EQ(refused("a: [${item\n").front().place, (Place{1, 5, 11}));
  EXPECT_EQ(json_of("a: [\"${item}\"]\nb: ${item.x}"), R"({"a":["${item}"],"b":"${item.x}"})");
}

TEST(Yaml, tells_syntax_faults_where_they_stand) {
  struct Case {
    std::string_view text;
    Place place;
    std::string_view message;
  };
  const std::vector<Case> cases{
      {"a: [1, 2\nb: 3\n", {1, 4, 5}, "this [ is never closed"},
      {"a: {b: 1\n", {1, 4, 5}, "this { is never closed"},
      {"a: \"abc\nb: 1\n", {1, 4, 8}, "this quoted text continues on a line that is not indented"},
      {"a: b\n  c: d\n", {1, 4, 5}, "this text runs into the next line"},
      {"a: b: c\n", {1, 5, 6}, "a second \": \" on the same line"},
      {"a: @foo\n", {1, 4, 8}, "unquoted text cannot begin with this character"},
      {"a: [\"x\" \"y\"]\n", {1, 9, 12}, "a comma is missing between two elements of [ ]"},
      {"a: \"x\" y\n", {1, 8, 9}, "there is text after the closing quote"},
      {"a: 1\n- b\n", {2, 1, 2}, "a key is expected here"},
  };
  for (const Case& each : cases) {
    const auto faults = refused(each.text);
    ASSERT_EQ(faults.size(), 1U) << each.text;
    EXPECT_EQ(faults[0].code, "E001") << each.text;
    EXPECT_EQ(faults[0].place, each.place) << render(faults, each.text);
    EXPECT_THAT(faults[0].message, StartsWith(std::string(each.message)));
    EXPECT_FALSE(faults[0].help.empty()) << each.text;
  }
}

TEST(Yaml, tells_what_it_found_before_a_syntax_fault_too) {
  EXPECT_THAT(places_of("a: 1\na: 2\nb: &x 1\nc: [1,\n"),
              ElementsAre("E003 2:1-2", "E004 3:4-6", "E001 4:4-5"));
}

TEST(Yaml, holds_its_limits) {
  EXPECT_EQ(places_of(std::string(file_bytes_max + 1, 'a')).front(), "E008 0:0-0");
  EXPECT_THAT(places_of(repeated("[", 100'000)), ElementsAre("E008 1:65-66"));
  EXPECT_THAT(places_of(repeated("- ", 100'000)), ElementsAre("E008 1:129-130"));
  EXPECT_EQ(places_of(repeated("{", 100'000)).back().substr(0, 4), "E008");
  EXPECT_EQ(places_of(repeated("? ", 100'000)).back().substr(0, 4), "E008");
  EXPECT_THAT(places_of(repeated("- a\n", file_nodes_max)), ElementsAre("E008 200000:3-4"));
  EXPECT_EQ(accepted(repeated("- a\n", file_nodes_max - 1)).list.size(), file_nodes_max - 1);
  EXPECT_EQ(accepted(repeated("[", file_depth_max) + repeated("]", file_depth_max)).kind,
            YamlNode::Kind::list);
}

TEST(Yaml, takes_huge_texts_in_its_stride) {
  const std::string huge(file_bytes_max - 10, 'x');
  EXPECT_EQ(accepted("a: \"" + huge.substr(10) + "\"\n").map[0].value.text.size(),
            huge.size() - 10);
  EXPECT_EQ(accepted("a: " + huge).map[0].value.text.size(), huge.size());
  EXPECT_EQ(accepted("a: |\n" + repeated("  xxxx\n", 500'000)).map[0].value.text.size(),
            2'500'000U);
}

TEST(Yaml, never_expands_an_alias_bomb) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    bomb += std::string{c} + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) (bomb += i == 0 ? "*" : ",*") += static_cast<char>(c - 1);
    bomb += "]\n";
  }
  const auto faults = refused(bomb);
  EXPECT_EQ(faults.size(), 81U);
  for (const Diagnostic& fault : faults) EXPECT_EQ(fault.code, "E004");
}

TEST(Yaml, stops_telling_after_a_hundred_faults) {
  EXPECT_EQ(refused(repeated("a: 1\n", 1000)).size(), 100U);
}

}  // namespace
}  // namespace pawl::workflow
