// The messages about faulty files: one file for every code and more.

#include <cstdlib>
#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "pawl/workflow/file.hpp"
#include "workflow/case_files.hpp"

namespace pawl::workflow {
namespace {

using testing::case_files;
using testing::CaseFile;
using testing::cases_directory;

/// As `pawl check` does where the store has these people.
std::vector<Diagnostic> diagnostics_of(const CaseFile& file) {
  const std::string name = file.name + ".yaml";
  auto loaded = load_workflow_file(file.text, {.name = name, .project = cases_directory()});
  if (!loaded) return loaded.error();
  warn_of_unknown_people(*loaded, {"anna", "ben", "group:editors"}, name);
  return loaded->warnings;
}

std::filesystem::path expected_path(const CaseFile& file) {
  return cases_directory() / (file.name + ".txt");
}

/// No text file of the project contains the character that replaces a broken byte.
std::string writable(std::string said) {
  const std::string sign = "\xEF\xBF\xBD";
  for (std::size_t at = said.find(sign); at != std::string::npos; at = said.find(sign)) {
    said.replace(at, sign.size(), "?");
  }
  return said;
}

// Every fault at once, with place and way out.
TEST(WrongFiles, are_told_as_their_cases_say) {
  const bool updates = std::getenv("PAWL_UPDATE_CASES") != nullptr;
  for (const CaseFile& file : case_files()) {
    const std::string said = writable(render(diagnostics_of(file), file.text));
    if (updates) std::ofstream(expected_path(file), std::ios::binary) << said;
    EXPECT_EQ(said, testing::read_whole(expected_path(file))) << file.name;
  }
}

TEST(WrongFiles, are_told_without_what_only_follows) {
  for (const CaseFile& file : case_files()) {
    const std::vector<Diagnostic> diagnostics = diagnostics_of(file);
    EXPECT_FALSE(diagnostics.empty()) << file.name;
    if (file.code.empty()) continue;
    for (const Diagnostic& one : diagnostics) EXPECT_EQ(one.code, file.code) << file.name;
  }
}

TEST(WrongFiles, are_told_in_the_order_of_the_lines) {
  for (const CaseFile& file : case_files()) {
    const std::vector<Diagnostic> diagnostics = diagnostics_of(file);
    const auto line = [](const Diagnostic& one) { return one.place.line; };
    EXPECT_TRUE(std::ranges::is_sorted(diagnostics, {}, line)) << file.name;
  }
}

TEST(WrongFiles, are_refused_and_warned_files_are_not) {
  for (const CaseFile& file : case_files()) {
    const auto loaded =
        load_workflow_file(file.text, {.name = file.name, .project = cases_directory()});
    EXPECT_EQ(loaded.has_value(), file.code.starts_with('W')) << file.name;
  }
}

TEST(Codes, have_a_case_each) {
  std::set<std::string> covered;
  for (const CaseFile& file : case_files()) covered.insert(file.code);
  for (const CodeStory& story : all_codes()) {
    EXPECT_TRUE(covered.contains(std::string(story.code))) << story.code << " has no case";
  }
}

TEST(Codes, of_cases_have_a_story_each) {
  for (const CaseFile& file : case_files()) {
    for (const Diagnostic& one : diagnostics_of(file)) {
      EXPECT_NE(find_code(one.code), nullptr) << one.code << " in " << file.name;
    }
  }
}

TEST(Suggestions, put_what_was_meant_in_place_of_the_marked_text) {
  for (const CaseFile& file : case_files()) {
    for (const Diagnostic& one : diagnostics_of(file)) {
      if (!one.suggestion) continue;
      EXPECT_NE(one.help.find(one.suggestion->with), std::string::npos) << file.name;
      EXPECT_NE(file.text.find(one.suggestion->replace), std::string::npos) << file.name;
    }
  }
}

TEST(MissingCases, have_no_left_over_expectation) {
  std::set<std::string> names;
  for (const CaseFile& file : case_files()) names.insert(file.name);
  for (const auto& entry : std::filesystem::directory_iterator(cases_directory())) {
    if (entry.path().extension() != ".txt") continue;
    EXPECT_TRUE(names.contains(entry.path().stem().string())) << entry.path();
  }
}

}  // namespace
}  // namespace pawl::workflow
