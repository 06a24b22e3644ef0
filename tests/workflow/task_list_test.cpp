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

}  // namespace
}  // namespace pawl::workflow
