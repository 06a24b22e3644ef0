#include "pawl/workflow/diagnostic.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pawl::workflow {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string render_one(const Diagnostic& diagnostic, std::string_view source, bool colour = false) {
  return render(std::span(&diagnostic, 1), source, colour);
}

Diagnostic at(Place place) {
  return {.code = "E012", .message = "no stage \"x\"", .file = "w.yaml", .place = place};
}

/// The line of the source and the one with the carets, without the gutter.
std::pair<std::string, std::string> shown(Place place, std::string_view source) {
  std::istringstream lines(render_one(at(place), source));
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  if (all.size() < 5) return {};
  const auto behind_gutter = [](const std::string& line) {
    return line.substr(line.find('|') + 1);
  };
  return {behind_gutter(all[3]), behind_gutter(all[4])};
}

TEST(Diagnostic, is_shown_as_a_compiler_shows_it) {
  const Diagnostic fault{.code = "E012",
                         .message = "no stage \"pdf_to_markdwn\"",
                         .file = "broken.yaml",
                         .place = {.line = 2, .column = 13, .end_column = 27},
                         .help = "did you mean \"pdf_to_markdown\"?"};
  EXPECT_EQ(render_one(fault, "stages:\n    needs: [pdf_to_markdwn]\n"),
            "error[E012]: no stage \"pdf_to_markdwn\"\n"
            "  --> broken.yaml:2:13\n"
            "   |\n"
            "  2|     needs: [pdf_to_markdwn]\n"
            "   |             ^^^^^^^^^^^^^^\n"
            "   = help: did you mean \"pdf_to_markdown\"?\n");
}

TEST(Diagnostic, stands_apart_from_the_next_and_makes_room_for_long_numbers) {
  const std::vector<Diagnostic> two{
      {.code = "W001", .severity = Severity::warning, .message = "m", .file = "f"},
      {.code = "E001",
       .message = "n",
       .file = "f",
       .place = {.line = 1234, .column = 1, .end_column = 2}}};
  // Not in one expression: GCC 12 with the thread sanitizer warns about a copy that does not exist.
  std::string source(1233, '\n');
  source += "abc";
  EXPECT_EQ(render(two, source),
            "warning[W001]: m\n"
            "  --> f\n"
            "\n"
            "error[E001]: n\n"
            "    --> f:1234:1\n"
            "     |\n"
            " 1234| abc\n"
            "     | ^\n");
  EXPECT_EQ(render({}, "a"), "");
}

TEST(Diagnostic, puts_its_carets_under_wide_characters_and_tabs) {
  EXPECT_EQ(shown({1, 3, 5}, "\u6F22\u5B57ab"),
            std::pair(std::string(" \u6F22\u5B57ab"), std::string("     ^^")));
  EXPECT_EQ(shown({1, 1, 3}, "\u6F22\u5B57ab").second, " ^^^^");
  EXPECT_EQ(shown({1, 3, 4}, "e\u0301x").second, "  ^") << "a mark takes no column";
  EXPECT_EQ(shown({1, 2, 3}, "e\u0301x").second, "  ^") << "and is still marked";
  EXPECT_EQ(shown({1, 2, 3}, "\tx"), std::pair(std::string("     x"), std::string("     ^")));
  EXPECT_EQ(shown({1, 2, 3}, "\U0001F600x").second, "   ^");
}

TEST(Diagnostic, is_cut_at_the_line_and_has_at_least_one_caret) {
  EXPECT_EQ(shown({1, 2, 99}, "abc\ndef\n").second, "  ^^");
  EXPECT_EQ(shown({1, 2, 2}, "abc").second, "  ^");
  EXPECT_EQ(shown({1, 9, 9}, "abc").second, "    ^");
  EXPECT_EQ(shown({9, 1, 2}, "abc").second, " ^") << "no such line";
  EXPECT_EQ(shown({2, 1, 2}, "a\r\nb\r\n"), std::pair(std::string(" b"), std::string(" ^")));
  EXPECT_EQ(shown({1, 1, 2},
                  "\xEF\xBB\xBF"
                  "ab")
                .first,
            " ab");
}

TEST(Diagnostic, shows_only_the_surroundings_in_a_long_line) {
  const std::string line = std::string(1000, 'a') + "HERE" + std::string(1000, 'b');
  const auto [text, marks] = shown({1, 1001, 1005}, line);
  EXPECT_EQ(text, " \u2026" + std::string(40, 'a') + "HERE" + std::string(116, 'b') + "\u2026");
  EXPECT_EQ(marks, std::string(42, ' ') + "^^^^");
  EXPECT_EQ(shown({1, 1, 2}, line).first, " " + std::string(160, 'a') + "\u2026");
  const auto [end, end_marks] = shown({1, 2004, 2005}, line);
  EXPECT_EQ(end, " \u2026" + std::string(160, 'b'));
  EXPECT_EQ(end_marks, std::string(161, ' ') + "^");
}

TEST(Diagnostic, never_lets_a_file_command_the_terminal) {
  Diagnostic fault = at({1, 1, 2});
  fault.message = "\x1B[2Jkey\n\xFF";
  fault.help = "\u202Ehelp";
  const std::string text = render_one(fault, "a\x1B[31m\u202E\xFF");
  EXPECT_THAT(text, Not(HasSubstr("\x1B")));
  EXPECT_THAT(text, Not(HasSubstr("\u202E")));
  EXPECT_THAT(text, HasSubstr("a\uFFFD[31m\uFFFD\uFFFD\n"));
  EXPECT_THAT(text, HasSubstr("\uFFFD[2Jkey\\n\uFFFD\n"));
}

TEST(Diagnostic, is_coloured_only_when_asked) {
  const Diagnostic fault = at({1, 1, 2});
  EXPECT_THAT(render_one(fault, "a"), Not(HasSubstr("\x1B")));
  EXPECT_THAT(render_one(fault, "a", true), HasSubstr("\x1B[1;31merror[E012]\x1B[0m"));
}

TEST(Diagnostic, has_a_document_for_editors) {
  Diagnostic fault = at({3, 5, 8});
  EXPECT_EQ(diagnostic_document(fault).text(),
            R"({"code":"E012","severity":"error","message":"no stage \"x\"","file":"w.yaml",)"
            R"("line":3,"column":5,"end_column":8,"help":"","suggestion":null})");
  fault.severity = Severity::warning;
  fault.suggestion = Suggestion{.replace = "x", .with = "y"};
  EXPECT_THAT(diagnostic_document(fault).text(),
              HasSubstr(R"("suggestion":{"replace":"x","with":"y"}})"));
}

TEST(Code, has_a_story_with_an_example) {
  std::string_view before;
  for (const CodeStory& code : all_codes()) {
    EXPECT_LT(before, code.code) << "sorted, and each once";
    before = code.code;
    EXPECT_EQ(find_code(code.code), &code);
    EXPECT_FALSE(code.title.empty() || code.title.find('\n') != std::string_view::npos)
        << code.code;
    EXPECT_THAT(std::string(code.story), HasSubstr("right:")) << code.code;
    EXPECT_THAT(std::string(code.story), HasSubstr("wrong:")) << code.code;
    EXPECT_TRUE(code.story.ends_with('\n')) << code.code;
  }
  EXPECT_EQ(find_code("E999"), nullptr);
  EXPECT_EQ(find_code(""), nullptr);
}

}  // namespace
}  // namespace pawl::workflow
