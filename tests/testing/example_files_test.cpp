/// The shipped workflow files, without the programs that they run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/testing/testing.hpp"

namespace {

using namespace pawl;
using namespace pawl::testing;
using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const std::filesystem::path examples = std::filesystem::path(PAWL_SOURCE_DIRECTORY) / "examples";

Script says(Members output) { return Script{}.then(succeeds(output)); }

TEST(ExampleFiles, documents_are_refined_judged_reviewed_and_reported_in_a_world) {
  const WorkflowFile file = loaded(examples / "documents/documents.yaml");
  World world;
  // The first attempt loses a table; the gate of the file rejects it, and the second has both.
  world.stage("pdf_to_markdown",
              Script{}
                  .then(succeeds(
                      {{"markdown", "# One"}, {"words", 200}, {"tables", 1}, {"source_tables", 2}}))
                  .then(succeeds(
                      {{"markdown", "# Two"}, {"words", 200}, {"tables", 2}, {"source_tables", 2}}))
                  .item("locked.pdf")
                  .then(fails_for_good("encrypted")));
  world.stage("extract_concepts", says({{"graph", Json::array({})}, {"nodes", 7}, {"orphans", 0}}));
  world.gate("extract_concepts", "grounded",
             GateScript{}.then(accepts()).item("b.pdf").then(is_uncertain("half of it")));
  world.stage("generate_embeddings", says({{"vectors", "…"}, {"chunks", 3}, {"longest", 60}}));
  world.stage("build_fts_index", says({{"segment", "…"}, {"terms", 90}}));
  world.stage("cross_reference", says({{"links", Json::array({})}, {"count", 0}}));
  world.stage("corpus_report", says({{"report", "all"}, {"index", "…"}}));
  world.reviewer("extract_concepts", Reviewer("judge").approves_after(20min));
  world.reviewer("final_review", Reviewer("grace")
                                     .approves_after(1h)
                                     .item("a.pdf")
                                     .asks_for_changes("two links are missing", 1h)
                                     .approves_after(1h));
  // Two of three would be too many failures for the file; one of four is tolerated.
  const JobId job = world.submit(file, items({"a.pdf", "b.pdf", "c.pdf", "locked.pdf"}));
  EXPECT_EQ(world.finish(job), JobState::failed) << world.story(job);
  EXPECT_EQ(world.state(job, "locked.pdf"), ItemState::failed);
  for (const char* item : {"a.pdf", "b.pdf", "c.pdf"}) {
    EXPECT_EQ(world.state(job, item), ItemState::succeeded) << world.story(job, item);
    EXPECT_THAT(world.attempts(job, item, "pdf_to_markdown"), SizeIs(2));
  }
  EXPECT_THAT(world.attempts(job, "a.pdf", "cross_reference"), SizeIs(2)) << "went back once";
  EXPECT_THAT(world.calls("corpus_report"), SizeIs(1));
  const std::string of_b = world.story(job, "b.pdf");
  EXPECT_THAT(of_b, HasSubstr("rejected (1 of 2 criteria not met)"));
  EXPECT_LT(of_b.find("judge: approve"), of_b.find("cross_reference"))
      << "what happened at one moment is told in its order\n"
      << of_b;
  EXPECT_THAT(world.story(job, "locked.pdf"), HasSubstr("skipped (upstream_failed)"));
  EXPECT_THAT(world.violations(), IsEmpty());
  EXPECT_TRUE(replay(world.records(), job, file).same());
}

TEST(ExampleFiles, orders_are_picked_line_by_line_and_wrapped_where_they_are_gifts) {
  const WorkflowFile file = loaded(examples / "orders/orders.yaml");
  World world;
  const Json line = Json::object({{"sku", "tea"}, {"quantity", 2}, {"cents", 300}});
  world.stage(
      "price",
      Script{}
          .then(succeeds({{"lines", Json::array({line, line})}, {"gift", false}, {"total", 1200}}))
          .item("A-2")
          .then(succeeds({{"lines", Json::array({line})}, {"gift", true}, {"total", 600}})));
  world.stage("pick", says({{"text", "2 x tea\n"}}));
  world.stage("wrap", says({{"text", "in blue paper\n"}}));
  world.stage("label", says({{"text", "label"}}));
  std::vector<NewItem> orders = items_of(file, examples / "orders");
  ASSERT_THAT(orders, ::testing::Not(IsEmpty()));
  const JobId job = world.submit(file, items({"A-1", "A-2"}));
  EXPECT_EQ(world.finish(job), JobState::completed) << world.story(job);
  EXPECT_THAT(world.calls("pick"), SizeIs(3));
  EXPECT_THAT(world.calls("wrap"), SizeIs(1));
  EXPECT_EQ(world.state(job, "A-1", "wrap"), StateKind::skipped);
  for (const Call& call : world.calls("label")) {
    if (call.item != "A-2") continue;
    EXPECT_EQ(call.in.text(), R"({"picked":["2 x tea\n"],"paper":"in blue paper\n","total":600})");
  }
}

}  // namespace
