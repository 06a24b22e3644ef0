// Files that run a list of task specs over handlers.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/workflow/file.hpp"
#include "temporary_folder.hpp"

namespace pawl::workflow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* file_text = R"(version: 1
workflow: plan
items: { tasks: plan.json }
handlers:
  fetch:
    run: [fetch, "${in.task.goal.url}"]
    in: { depth: 2 }
    retry: { attempts: 3 }
  write: { sh: cat }
)";

class TaskLists : public ::testing::Test {
 protected:
  WorkflowFile loaded(const std::string& list) {
    std::ofstream(folder_ / "plan.json") << list;
    auto file = load_workflow_file(file_text, {.project = folder_.path()});
    if (file) return *std::move(file);
    ADD_FAILURE() << render(file.error(), file_text);
    std::abort();
  }
  std::string refusal(const std::string& text, const std::string& list) {
    std::ofstream(folder_ / "plan.json") << list;
    const auto file = load_workflow_file(text, {.project = folder_.path()});
    return file ? "nothing is refused" : render(file.error(), text);
  }
  static std::vector<std::string> names(const WorkflowFile& file) {
    std::vector<std::string> all;
    for (const StageDefinition& stage : file.workflow.definition().stages) {
      all.push_back(stage.name);
    }
    return all;
  }
  static const StageDefinition& stage_of(const WorkflowFile& file, std::string_view name) {
    return file.workflow.stage(file.workflow.require_stage(name).value());
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TaskLists, become_one_stage_for_each_task_with_the_handler_of_its_type) {
  const WorkflowFile file = loaded(R"([
    {"type": "write", "title": "The report", "depends_on": ["news", "fetch-3"]},
    {"type": "fetch", "title": "news", "intent": "read", "goal": {"url": "http://a"}},
    {"hints": {"type": "fetch"}, "goal": {"url": "http://b"}},
    {"type": "fetch", "title": "news", "goal": {"url": "http://c"}}])");
  EXPECT_THAT(names(file), ElementsAre("The-report", "news", "fetch-3", "news-2"));
  EXPECT_THAT(stage_of(file, "The-report").needs, ElementsAre("news", "fetch-3", "news-2"))
      << "a title that two tasks share means both";
  const ActionSpec action = action_from(stage_of(file, "news").params).value();
  EXPECT_THAT(action.argv, ElementsAre("fetch", "${in.task.goal.url}"));
  EXPECT_EQ(Json::object(action.in).text(),
            R"({"depth":2,"task":{"type":"fetch","title":"news","intent":"read",)"
            R"("goal":{"url":"http://a"}}})");
  EXPECT_EQ(stage_of(file, "fetch-3").retry.attempts_max(), 3U);
  EXPECT_EQ(file.items, ItemsSpec{});
  EXPECT_EQ(file.budget.max_attempts_per_task, 5U);
  EXPECT_EQ(file.budget.no_progress_decisions, 50);
}

TEST_F(TaskLists, may_be_lines_or_the_tasks_of_an_object) {
  const std::string one = R"({"type":"write","title":"a"})";
  EXPECT_THAT(names(loaded(one + "\n\n" + one + "\n")), ElementsAre("a", "a-2"));
  EXPECT_THAT(names(loaded(R"({"tasks":[)" + one + "]}")), ElementsAre("a"));
}

// What a planner wrote is data, whatever it looks like.
TEST_F(TaskLists, hold_no_references) {
  const WorkflowFile file =
      loaded(R"([{"type":"write","title":"a","goal":{"text":"${params.x} $${y} ${"}}])");
  const ActionSpec action = action_from(stage_of(file, "a").params).value();
  EXPECT_EQ(field(Json::object(action.in), "task.goal.text").string(), "$${params.x} $$${y} $${");
}

std::string list_of(int count, const std::string& spec) {
  std::string list = "[" + spec;
  for (int i = 1; i < count; ++i) list += "," + spec;
  return list + "]";
}

TEST_F(TaskLists, are_refused_before_a_large_handler_is_copied_for_each_task) {
  std::string large =
      "version: 1\nworkflow: plan\nitems: { tasks: plan.json }\n"
      "handlers:\n  write:\n    sh: cat\n    env:\n";
  for (int i = 0; i < 1'000; ++i) large += "      N" + std::to_string(i) + ": x\n";
  const std::string spec = R"({"type":"write"})";
  EXPECT_THAT(refusal(large, list_of(20'000, spec)),
              HasSubstr(R"(the list "plan.json" becomes 20,060,000 values; at most 200,000)"));
  EXPECT_EQ(refusal(large, list_of(100, spec)), "nothing is refused");
}

TEST_F(TaskLists, are_refused_with_more_tasks_or_values_than_a_workflow_may_have) {
  EXPECT_THAT(refusal(file_text, list_of(65'536, R"({"type":"write"})")),
              HasSubstr("has 65,536 tasks; at most 65,535 are allowed"));
  const std::string values = R"({"type":"write","goal":)" + list_of(200'000, "1") + "}";
  EXPECT_THAT(refusal(file_text, "[" + values + "]"), HasSubstr("has more than 200,000 values"));
  EXPECT_EQ(
      refusal(file_text, R"([{"type":"write","intent":")" + std::string(300'000, ',') + "\"}]"),
      "nothing is refused")
      << "text is one value";
}

TEST_F(TaskLists, are_refused_where_a_title_that_all_share_makes_too_many_needs) {
  const std::string spec = R"({"type":"write","title":"x","depends_on":["x"]})";
  EXPECT_THAT(refusal(file_text, list_of(20'000, spec)), HasSubstr("at most 200,000 are allowed"));
}

}  // namespace
}  // namespace pawl::workflow
