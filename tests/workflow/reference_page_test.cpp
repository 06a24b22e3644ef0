// docs/reference/workflow-file.md describes what exists.

#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "pawl/workflow/file.hpp"
#include "workflow/case_files.hpp"
#include "workflow/keys.hpp"

namespace pawl::workflow {
namespace {

std::string page() {
  return testing::read_whole(testing::source_directory() / "docs/reference/workflow-file.md");
}

/// The YAML examples. Keys that every file needs are added if an example leaves them out.
std::vector<std::string> examples() {
  std::vector<std::string> found;
  std::istringstream lines(page());
  std::string line;
  bool is_inside = false;
  while (std::getline(lines, line)) {
    if (line == "```yaml") {
      is_inside = true;
      found.emplace_back();
    } else if (line == "```") {
      is_inside = false;
    } else if (is_inside) {
      found.back() += line + "\n";
    }
  }
  for (std::string& text : found) {
    if (!text.starts_with("version:")) text.insert(0, "version: 1\nworkflow: example\n");
    const bool has_stages = text.find("\nstages:") != std::string::npos;
    if (!has_stages) text += "stages: { work: { run: [work] } }\n";
  }
  return found;
}

TEST(ReferencePage, has_examples_that_load) {
  const std::vector<std::string> all = examples();
  EXPECT_GE(all.size(), 10U);
  for (const std::string& text : all) {
    const auto file = load_workflow_file(text, {.name = "example.yaml"});
    EXPECT_TRUE(file) << text << render(file.error(), text);
  }
}

std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

// A key that is allowed in three places has a row in three tables.
TEST(ReferencePage, tells_of_every_key_in_a_table) {
  std::map<std::string, std::size_t> places;
  std::size_t place = 0;
  for (; place <= static_cast<std::size_t>(KeyPlace::limits); ++place) {
    for (const std::string& key : honoured_keys(static_cast<KeyPlace>(place))) ++places[key];
  }
  const std::string text = page();
  for (const auto& [key, count] : places) {
    EXPECT_GE(count_of("\n| `" + key + "` |", text), count) << key;
  }
}

TEST(ReferencePage, names_what_is_refused) {
  const std::string text = page();
  const std::string refused = text.substr(text.find("## Not in this version"));
  for (std::size_t place = 0; place <= static_cast<std::size_t>(KeyPlace::limits); ++place) {
    for (const KnownKey& key : keys_of(static_cast<KeyPlace>(place))) {
      if (key.is_honoured()) continue;
      EXPECT_NE(refused.find("`" + std::string(key.name) + "`"), std::string::npos) << key.name;
    }
  }
}

}  // namespace
}  // namespace pawl::workflow
