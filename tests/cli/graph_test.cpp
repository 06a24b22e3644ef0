#include "cli/output/graph.hpp"

#include <algorithm>
#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/render.hpp"
#include "pawl/codec/workflow.hpp"

namespace pawl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t needs_max = 64;  // of a stage

/// Each stage needs those of the `reach` before it.
Workflow chain(std::size_t stages, std::size_t reach, const std::string& prefix) {
  WorkflowDefinition definition{.name = "large", .stages = {}};
  for (std::size_t i = 0; i < stages; ++i) {
    StageDefinition stage;
    stage.name = prefix + std::to_string(i);
    stage.handler = "work";
    for (std::size_t need = i > reach ? i - reach : 0; need < i; ++need) {
      stage.needs.push_back(prefix + std::to_string(need));
    }
    definition.stages.push_back(std::move(stage));
  }
  auto compiled = compile(std::move(definition));
  if (!compiled) throw std::runtime_error("the workflow is not sound");
  return *compiled;
}

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

TEST(Graph, is_drawn_up_to_a_hundred_stages_and_listed_beyond) {
  EXPECT_EQ(lines_in(ascii_graph(chain(drawn_stages_max, 1, "s"))), 1U);
  const std::string listed = ascii_graph(chain(drawn_stages_max + 1, 1, "s"));
  EXPECT_EQ(lines_in(listed), drawn_stages_max + 1);
  EXPECT_THAT(listed, HasSubstr("s100  after s99\n"));
}

TEST(Graph, of_many_stages_with_long_names_and_many_needs_is_bounded) {
  const std::string prefix(150, 'n');
  const Workflow large = chain(2'000, needs_max, prefix);
  const auto began = std::chrono::steady_clock::now();
  const std::string listed = ascii_graph(large);
  const std::string mermaid = mermaid_graph(large);
  const std::string dot = dot_graph(large);
  const std::string document = graph_document(large, nullptr).text();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
  EXPECT_EQ(lines_in(listed), 2'000U);
  EXPECT_LT(listed.size(), 2'000 * (listed_needs_max + 2) * (name_columns_max + 10));
  EXPECT_THAT(listed, HasSubstr(" and 44 more\n"));
  // What tools read names every need, by short names.
  const std::size_t needs = needs_max * (needs_max - 1) / 2 + (2'000 - needs_max) * needs_max;
  EXPECT_EQ(lines_in(mermaid), 1 + 2'000 + needs);
  EXPECT_LT(dot.size(), 2'000 * 200 + needs * 24);
  EXPECT_THAT(document, HasSubstr(prefix));
}

TEST(Graph, of_a_hundred_stages_that_need_many_others_is_bounded) {
  const auto began = std::chrono::steady_clock::now();
  const std::string text = ascii_graph(chain(drawn_stages_max, needs_max, "s"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
  EXPECT_LT(text.size(), 1'000'000U);
}

TEST(Graph, does_not_obey_the_names_of_stages) {
  const Workflow workflow = chain(2, 1, "a\u202e\u009b\"\\");
  for (const std::string& text :
       {ascii_graph(workflow), mermaid_graph(workflow), dot_graph(workflow)}) {
    EXPECT_THAT(text, Not(HasSubstr("\u202e")));
    EXPECT_THAT(text, Not(HasSubstr("\u009b")));
    EXPECT_EQ(printable_lines(text), text);
  }
}

}  // namespace
}  // namespace pawl::cli
