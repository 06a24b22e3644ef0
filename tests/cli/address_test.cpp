#include "cli/address.hpp"

#include <gtest/gtest.h>

#include "runtime/world.hpp"

namespace pawl::cli {
namespace {

using namespace pawl::testing_world;

Outcome done(Context&, std::stop_token) { return Output{.json = Json(1)}; }

Program workflow_of(const std::string& name, const std::vector<std::string>& stages,
                    const std::string& total = {}) {
  WorkflowBuilder build(name);
  for (const std::string& stage : stages) build.stage(stage, done);
  if (!total.empty()) build.all_items_stage(total, done).needs(stages.front());
  return built(build);
}

/// What a text means: "job/key@stage".
std::string meaning(World& world, const AddressText& text) {
  const Result<Address> address = resolve(world.store->records(), text);
  if (!address) return address.error().text();
  std::string out = std::to_string(address->job.id.value()) + ":";
  if (address->item) out += address->item->key;
  if (address->stage) out += "@" + address->workflow.stage(*address->stage).name;
  return out;
}

class AddressTest : public ::testing::Test {
 protected:
  AddressTest() {
    world.submit(workflow_of("letters", {"draft", "print"}, "total"),
                 items({"ada", "bob", "a/b", "a", "dir/print"}));
    world.submit(workflow_of("plain", {"copy"}), items({"ada", "1/bob", "carl"}));
  }
  World world;
};

TEST_F(AddressTest, a_key_alone_means_the_newest_job_that_has_it) {
  EXPECT_EQ(meaning(world, {"ada"}), "2:ada");
  EXPECT_EQ(meaning(world, {"bob"}), "1:bob");
}

TEST_F(AddressTest, a_leading_number_is_the_job) {
  EXPECT_EQ(meaning(world, {"1/ada"}), "1:ada");
  EXPECT_EQ(meaning(world, {"1/ada/print"}), "1:ada@print");
  EXPECT_EQ(meaning(world, {"1/a/b/draft"}), "1:a/b@draft");
}

TEST_F(AddressTest, the_whole_text_as_a_key_comes_first) {
  EXPECT_EQ(meaning(world, {"1/bob"}), "2:1/bob");
  EXPECT_EQ(meaning(world, {"a/b"}), "1:a/b");
  EXPECT_EQ(meaning(world, {"dir/print"}), "1:dir/print");
}

TEST_F(AddressTest, then_a_stage_at_the_end) {
  EXPECT_EQ(meaning(world, {"bob/print"}), "1:bob@print");
  EXPECT_EQ(meaning(world, {"dir/print/draft"}), "1:dir/print@draft");
}

TEST_F(AddressTest, a_key_with_a_stage_is_looked_for_in_the_newest_job_that_has_both) {
  EXPECT_EQ(meaning(world, {"ada/copy"}), "2:ada@copy");
  EXPECT_EQ(meaning(world, {"ada/draft"}), "1:ada@draft");
}

TEST_F(AddressTest, a_job_and_a_stage_given_apart_settle_it) {
  EXPECT_EQ(meaning(world, {"ada", 1}), "1:ada");
  EXPECT_EQ(meaning(world, {"bob", std::nullopt, "print"}), "1:bob@print");
  EXPECT_EQ(meaning(world, {"1/bob", 1}), "1:bob");
  EXPECT_EQ(meaning(world, {"dir/print", 1, "draft"}), "1:dir/print@draft");
}

TEST_F(AddressTest, a_stage_that_runs_once_per_job_is_named_with_its_job) {
  EXPECT_EQ(meaning(world, {"1/total"}), "1:@total");
  EXPECT_EQ(meaning(world, {"total", 1}), "1:@total");
}

TEST_F(AddressTest, what_is_not_there_comes_with_the_nearest_key) {
  const Result<Address> address = resolve(world.store->records(), {"crl"});
  ASSERT_FALSE(address.has_value());
  EXPECT_EQ(address.error().code, ErrorCode::not_found);
  EXPECT_EQ(address.error().help, "did you mean 'carl'?");
}

TEST_F(AddressTest, a_misspelt_stage_is_told_as_a_stage) {
  const Result<Address> address = resolve(world.store->records(), {"bob/prnt", 1});
  ASSERT_FALSE(address.has_value());
  EXPECT_NE(address.error().text().find("print"), std::string::npos) << address.error().text();
}

TEST_F(AddressTest, what_is_printed_resolves_to_the_same) {
  EXPECT_EQ(meaning(world, {address_of(JobId{1}, "a/b", "print")}), "1:a/b@print");
  EXPECT_EQ(meaning(world, {address_of(JobId{1}, "", "total")}), "1:@total");
}

TEST(Address, an_empty_store_says_how_to_begin) {
  World world;
  const Result<Job> job = newest_job(world.store->records());
  ASSERT_FALSE(job.has_value());
  EXPECT_EQ(job.error().help, "start one: pawl run FILE");
}

}  // namespace
}  // namespace pawl::cli
