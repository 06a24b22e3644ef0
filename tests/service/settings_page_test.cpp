// docs/reference/serve.md describes what exists.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/settings.hpp"

namespace pawl::service {
namespace {

std::string page() {
  std::ifstream in(std::filesystem::path(PAWL_SOURCE_DIRECTORY) / "docs/reference/serve.md");
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

/// The lines between two marks, each time.
std::vector<std::string> blocks_of(const std::string& text, const std::string& begin,
                                   const std::string& end) {
  std::vector<std::string> blocks;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    blocks.push_back(text.substr(at, text.find(end, at) - at));
  }
  return blocks;
}

/// The keys that a map knows, from the help for one that it does not know.
std::vector<std::string> keys_of(const std::string& map) {
  const std::string unknown = "no-such-key-of-the-settings";
  const auto settings = read_settings(
      map.empty() ? unknown + ": 1" : map + ": { " + unknown + ": 1 }", "serve.yaml", "/project");
  EXPECT_FALSE(settings);
  const std::string& help = settings.error().at(0).help;
  std::istringstream names(help.substr(help.find(": ") + 2));
  std::vector<std::string> keys;
  for (std::string name; names >> name;) {
    if (name.ends_with(',')) name.pop_back();
    keys.push_back(name);
  }
  return keys;
}

TEST(SettingsPage, has_examples_that_can_be_read) {
  const std::vector<std::string> examples = blocks_of(page(), "```yaml\n", "```");
  EXPECT_GE(examples.size(), 3U);
  for (const std::string& text : examples) {
    const auto settings = read_settings(text, "serve.yaml", "/project");
    EXPECT_TRUE(settings) << text << render(settings.error(), text);
  }
}

TEST(SettingsPage, begins_with_an_example_of_every_key) {
  const std::string text = page();
  const std::string first = blocks_of(text, "```yaml\n", "```").at(0);
  std::size_t rows = 0;
  for (const char* const map : {"", "proxy", "limits"}) {
    const std::vector<std::string> keys = keys_of(map);
    EXPECT_GE(keys.size(), 2U) << map;
    rows += keys.size();
    for (const std::string& key : keys) {
      EXPECT_TRUE(first.contains(key + ":")) << key;
      EXPECT_TRUE(text.contains("\n| `" + key + "` |")) << key;
    }
  }
  EXPECT_EQ(blocks_of(text, "\n| `", "` |").size(), rows) << "and no other key";
}

}  // namespace
}  // namespace pawl::service
