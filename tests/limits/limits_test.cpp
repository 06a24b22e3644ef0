// The limits of the section "When not to use it" in README.md that only a C++ program can reach.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/codec/workflow.hpp"
#include "pawl/store/records.hpp"
#include "runtime/world.hpp"
#include "store/payloads/payload_names.hpp"

namespace pawl::testing_world {
namespace {

using ::testing::HasSubstr;

WorkflowDefinition chain_free(std::size_t stages) {
  WorkflowDefinition definition{.name = "many"};
  for (std::size_t i = 0; i < stages; ++i) {
    definition.stages.push_back({.name = "s" + std::to_string(i), .handler = "code"});
  }
  return definition;
}

TEST(Limits, a_workflow_has_at_most_65535_stages) {
  const auto most = compile(chain_free(65'535));
  ASSERT_TRUE(most) << text_of(most.error());
  EXPECT_EQ(most->definition().stages.size(), 65'535U);
  const auto more = compile(chain_free(65'536));
  ASSERT_FALSE(more);
  EXPECT_THAT(text_of(more.error()), HasSubstr("at most 65535 are allowed"));
}

TEST(Limits, an_output_of_64_kib_is_in_the_record_and_a_longer_one_is_a_payload) {
  World world;
  const std::size_t quotes = 2;
  WorkflowBuilder build("sizes");
  build.stage("fits", [&](Context&, std::stop_token) -> Outcome {
    return Output{.json = Json(std::string(65'536 - quotes, 'x'))};
  });
  build.stage("longer", [&](Context&, std::stop_token) -> Outcome {
    return Output{.json = Json(std::string(65'537 - quotes, 'x'))};
  });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const auto recorded = [&](const std::string& stage) {
    return world.attempts(job, "a", stage).at(0).output.text().size();
  };
  EXPECT_EQ(recorded("fits"), 65'536U);
  EXPECT_LT(recorded("longer"), 200U) << "only the name of the payload";
  const Json kept = world.attempts(job, "a", "longer").at(0).output;
  const auto payloads = store::payloads_named_in(kept);
  ASSERT_EQ(payloads.size(), 1U) << kept.text();
  EXPECT_EQ(world.store->records().payload(payloads[0].sha256)->size(), 65'537U);
}

TEST(Limits, children_of_a_fan_out_cannot_fan_out_again) {
  World world;
  WorkflowBuilder build("nested");
  const auto split = [](Context&, std::stop_token) -> Outcome {
    return FanOut{.children = {{.key = "x", .data = 1}}};
  };
  build.stage("split", split).each(split);
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "split"), StateKind::failed);
  const auto children =
      world.store->records().tasks({.job = job, .parent = world.task(job, "a", "split").id});
  ASSERT_TRUE(children);
  ASSERT_EQ(children->size(), 1U);
  const Attempt attempt = world.store->records().attempts(children->at(0).id)->at(0);
  ASSERT_TRUE(attempt.error);
  EXPECT_EQ(attempt.error->message, "a fan-out child cannot fan out again");
  EXPECT_EQ(attempt.error->error_class, ErrorClass::final);
}

}  // namespace
}  // namespace pawl::testing_world
