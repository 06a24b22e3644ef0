/// The workflow files that may be submitted.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "service/job_api_test.hpp"

namespace pawl::service {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WorkflowRoutes : public JobApiTest {};

constexpr std::string_view small = "version: 1\nworkflow: small\nstages: { a: { run: [echo] } }\n";

TEST_F(WorkflowRoutes, the_files_of_the_directories_are_listed_by_name) {
  add_greeting();
  flow("another.yml", small);
  write("notes.txt", "not a workflow");
  write(".#small.yaml", "an editor's own");
  write("below/deep.yaml", small);
  library_.reload({flows()});
  const Answer list = get("/api/v1/workflows");
  ASSERT_EQ(list.status, 200U) << list.body;
  EXPECT_THAT(column(list, "workflows", "workflow"), ElementsAre("\"greet\"", "\"small\""));
  EXPECT_THAT(column(list, "workflows", "can_be_submitted"), ElementsAre("true", "true"));
  EXPECT_EQ(list.at("total.count"), "2");
  for (const Json& row : elements(field(list.json(), "workflows"))) {
    EXPECT_TRUE(fits_schema(row, "WorkflowRow"));
  }
  EXPECT_THAT(all_pages("/api/v1/workflows?limit=1", "workflows", "workflow"), SizeIs(2));
  EXPECT_EQ(get("/api/v1/workflows?after=x").status, 400U);
  const Answer csv = get("/api/v1/workflows", {{"Accept", "text/csv"}});
  EXPECT_THAT(csv.body, HasSubstr("workflow,file,hash,can_be_submitted"));
}

TEST_F(WorkflowRoutes, a_workflow_shows_what_a_submission_needs_to_know) {
  add_greeting();
  const Answer shown = get("/api/v1/workflows/greet");
  ASSERT_EQ(shown.status, 200U) << shown.body;
  EXPECT_TRUE(fits_schema(shown.json(), "WorkflowFile"));
  EXPECT_EQ(text(shown, "description"), "says hello");
  EXPECT_EQ(shown.at("params[0]"),
            R"({"name":"tone","type":"string","required":false,"default":"warm",)"
            R"("description":"how it sounds"})");
  EXPECT_EQ(shown.at("items.kind"), "\"list\"");
  EXPECT_EQ(shown.at("items.count"), "2");
  EXPECT_EQ(shown.at("budget.cost_usd"), "5");
  EXPECT_EQ(shown.at("stages[0].name"), "\"greet\"");
  const Answer graph = get("/api/v1/workflows/greet/graph");
  EXPECT_TRUE(fits_schema(graph.json(), "Graph"));
  const Answer missing = get("/api/v1/workflows/gret");
  EXPECT_EQ(missing.status, 404U);
  EXPECT_THAT(missing.body, HasSubstr("did you mean 'greet'?"));
}

TEST_F(WorkflowRoutes, a_file_with_faults_is_listed_with_all_of_them_and_not_submitted) {
  flow("broken.yaml", "version: 1\nworkflow: b\nstages: { a: { run: x, nonsense: 1 } }\n");
  const Answer shown = get("/api/v1/workflows/broken");
  ASSERT_EQ(shown.status, 200U) << shown.body;
  EXPECT_TRUE(fits_schema(shown.json(), "WorkflowFile"));
  EXPECT_EQ(shown.at("can_be_submitted"), "false");
  EXPECT_THAT(elements(field(shown.json(), "diagnostics")), SizeIs(2));
  EXPECT_EQ(get("/api/v1/workflows/broken/graph").status, 409U);
  const Answer refused = post("/api/v1/jobs", Json::object({{"workflow", "broken"}}));
  EXPECT_EQ(refused.status, 409U);
  EXPECT_THAT(message(refused), HasSubstr("has faults"));
}

TEST_F(WorkflowRoutes, two_files_of_one_name_are_a_conflict_that_names_both) {
  flow("one.yaml", small);
  flow("two.yaml", small);
  const Answer list = get("/api/v1/workflows");
  EXPECT_THAT(column(list, "workflows", "can_be_submitted"), ElementsAre("false", "false"));
  EXPECT_THAT(text(list, "workflows[0].why_not"), HasSubstr("two.yaml"));
  const Answer shown = get("/api/v1/workflows/small");
  EXPECT_EQ(shown.status, 409U);
  EXPECT_THAT(message(shown), HasSubstr("one.yaml"));
  EXPECT_EQ(post("/api/v1/jobs", Json::object({{"workflow", "small"}})).status, 409U);
}

TEST_F(WorkflowRoutes, a_broken_file_does_not_take_the_name_of_a_good_one) {
  flow("good.yaml", small);
  flow("small.yaml", "workflow: [\n");
  EXPECT_EQ(get("/api/v1/workflows/small").at("can_be_submitted"), "true");
}

TEST_F(WorkflowRoutes, a_reload_takes_over_all_changes_and_a_check_none) {
  add_greeting();
  write("greet.yaml", "version: 1\nworkflow: greet\nstages: { b: { run: [echo], oops: 1 } }\n");
  const Answer checked = post("/api/v1/workflows/greet/check");
  ASSERT_EQ(checked.status, 200U) << checked.body;
  EXPECT_TRUE(fits_schema(checked.json(), "WorkflowCheck"));
  EXPECT_EQ(checked.at("ok"), "false");
  EXPECT_EQ(checked.at("is_loaded"), "false");
  EXPECT_THAT(checked.at("diagnostics"), HasSubstr("oops"));
  EXPECT_EQ(get("/api/v1/workflows/greet").at("can_be_submitted"), "true")
      << "what was read before stays";
  library_.reload({flows()});
  EXPECT_EQ(get("/api/v1/workflows/greet").at("can_be_submitted"), "false");
  library_.reload({});
  EXPECT_EQ(get("/api/v1/workflows/greet").status, 404U);
}

TEST_F(WorkflowRoutes, a_check_names_people_whom_the_store_does_not_know) {
  flow("asking.yaml",
       "version: 1\nworkflow: asking\nstages:\n"
       "  a: { run: [echo], review: { when: always, assign: [anna] } }\n");
  const Answer checked = post("/api/v1/workflows/asking/check");
  EXPECT_EQ(checked.at("ok"), "true");
  EXPECT_EQ(checked.at("is_loaded"), "true");
  EXPECT_THAT(checked.at("diagnostics"), HasSubstr("anna"));
}

TEST_F(WorkflowRoutes, a_file_that_others_could_have_written_is_not_trusted) {
  flow("open.yaml", small);
  ASSERT_EQ(::chmod((flows() / "open.yaml").c_str(), 0666), 0);
  library_.reload({flows()});
  const Answer shown = get("/api/v1/workflows/open");
  EXPECT_EQ(shown.at("can_be_submitted"), "false");
  EXPECT_THAT(shown.at("diagnostics"), HasSubstr("open.yaml"));
}

TEST_F(WorkflowRoutes, a_file_that_others_may_write_since_it_was_read_is_not_submitted) {
  flow("open.yaml", small);
  ASSERT_EQ(::chmod((flows() / "open.yaml").c_str(), 0666), 0);
  const Answer refused = post("/api/v1/jobs", Json::object({{"workflow", "small"}}));
  EXPECT_EQ(refused.status, 409U) << refused.body;
  EXPECT_THAT(*store().records().jobs({}), IsEmpty());
}

TEST_F(WorkflowRoutes, a_directory_that_cannot_be_read_is_listed_as_a_fault) {
  add_greeting();
  library_.reload({flows(), folder_ / "missing", flows()});
  const Answer list = get("/api/v1/workflows");
  EXPECT_THAT(column(list, "workflows", "workflow"), ElementsAre("\"greet\"", "\"missing\""))
      << "a directory that is listed twice is read once";
}

TEST_F(WorkflowRoutes, a_link_into_the_directory_is_a_file_of_it) {
  write("../elsewhere/far.yaml", small);
  std::filesystem::create_symlink(folder_ / "elsewhere/far.yaml", flows() / "near.yaml");
  std::filesystem::create_symlink(folder_ / "nowhere.yaml", flows() / "dangling.yaml");
  library_.reload({flows()});
  EXPECT_EQ(get("/api/v1/workflows/small").at("can_be_submitted"), "true");
  EXPECT_EQ(get("/api/v1/workflows/dangling").at("can_be_submitted"), "false");
}

}  // namespace
}  // namespace pawl::service
