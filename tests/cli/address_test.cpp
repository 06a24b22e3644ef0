#include "cli/input/address.hpp"

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
  if (address->child) out += "#" + *address->child;
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

// "1/bob" is printed for bob of job 1: it never means an item of another job that is called so.
TEST_F(AddressTest, a_job_that_has_it_comes_before_a_key_that_is_called_so) {
  EXPECT_EQ(meaning(world, {"1/bob"}), "1:bob");
  EXPECT_EQ(meaning(world, {"1\\/bob"}), "2:1/bob");
  EXPECT_EQ(meaning(world, {"1/bob", 2}), "2:1/bob");
  EXPECT_EQ(meaning(world, {"2/1/bob"}), "2:1/bob");
}

TEST_F(AddressTest, otherwise_the_whole_text_as_a_key_comes_first) {
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

TEST_F(AddressTest, what_is_printed_is_not_taken_for_anything_else) {
  const std::vector<std::string> keys{"x",           "x/draft",  "x/draft/print",
                                      "draft",       "total",    "total/draft",
                                      "x/total",     "1/x",      "3/x",
                                      "x/draft[1]",  "total[1]", "a\nb",
                                      "a\\nb",       "a\\",      "\\/",
                                      " x",          "x ",       "-",
                                      "-x",          "\ufffd",   "\u202e",
                                      "x\\/draft",   "3",        "3/total",
                                      "draft/draft", "/draft",   "x/"};
  world.submit(workflow_of("odd", {"draft", "print"}, "total"), items(keys));
  Session session({}, standard_streams(), world.store);
  const Result<PinnedJob> pinned = pinned_job(session, 3);
  ASSERT_TRUE(pinned.has_value());
  for (const std::string& key : keys) {
    EXPECT_EQ(meaning(world, {address_of(JobId{3}, pinned->workflow, key)}), "3:" + key);
    for (const std::string stage : {"draft", "print"}) {
      EXPECT_EQ(meaning(world, {address_of(JobId{3}, key, stage)}), "3:" + key + "@" + stage);
    }
  }
  EXPECT_EQ(meaning(world, {address_of(JobId{3}, "", "total")}), "3:@total");
}

TEST_F(AddressTest, a_plain_key_is_printed_as_it_is) {
  Session session({}, standard_streams(), world.store);
  const Result<PinnedJob> pinned = pinned_job(session, 1);
  ASSERT_TRUE(pinned.has_value());
  EXPECT_EQ(address_of(JobId{1}, pinned->workflow, "docs/a b.md"), "1/docs/a b.md");
  EXPECT_EQ(address_of(JobId{1}, pinned->workflow, "dir/print"), "1/dir\\/print");
  EXPECT_EQ(address_of(JobId{1}, "docs/a.md", "print"), "1/docs/a.md/print");
}

TEST_F(AddressTest, a_backslash_that_begins_no_escape_is_refused) {
  const Result<Address> address = resolve(world.store->records(), {"a\\d"});
  ASSERT_FALSE(address.has_value());
  EXPECT_EQ(address.error().code, ErrorCode::invalid);
}

class ChildAddress : public ::testing::Test {
 protected:
  ChildAddress() {
    const auto split = [](Context&, std::stop_token) -> Outcome {
      return FanOut{.children = {{.key = "page 1", .data = {}},
                                 {.key = "2/[x]", .data = {}},
                                 {.key = "page 3", .data = {}}}};
    };
    WorkflowBuilder build("pages");
    build.stage("scan", split).each(done);
    build.stage("file", done).needs("scan");
    build.all_items_stage("total", split).each(done).needs("file");
    world.submit(built(build), items({"a", "b/scan[page 1]"}));
    world.run();
  }
  World world;
};

TEST_F(ChildAddress, is_written_in_brackets_behind_its_stage) {
  EXPECT_EQ(meaning(world, {"a/scan[page 1]"}), "1:a@scan#page 1");
  EXPECT_EQ(meaning(world, {"1/a/scan[page 3]"}), "1:a@scan#page 3");
  EXPECT_EQ(meaning(world, {"a[page 1]", std::nullopt, "scan"}), "1:a@scan#page 1");
  EXPECT_EQ(meaning(world, {"1/total[page 1]"}), "1:@total#page 1");
  EXPECT_EQ(meaning(world, {"1/a/scan[]"}), "1:a@scan#") << "the stage without its children";
}

TEST_F(ChildAddress, that_is_printed_resolves_to_the_same_child) {
  for (const std::string child : {"page 1", "2/[x]", "page 3"}) {
    for (const std::string key : {"a", "b/scan[page 1]"}) {
      EXPECT_EQ(meaning(world, {address_of(JobId{1}, key, "scan", child)}),
                "1:" + key + "@scan#" + child);
    }
    const std::string total = address_of(JobId{1}, "", "total", child);
    EXPECT_EQ(meaning(world, {total}), "1:@total#" + child);
    EXPECT_EQ(address_of(*resolve(world.store->records(), {total})), total);
  }
}

TEST_F(ChildAddress, comes_after_a_key_that_is_written_alike) {
  EXPECT_EQ(meaning(world, {"b/scan[page 1]"}), "1:b/scan[page 1]");
}

TEST_F(ChildAddress, of_a_child_that_is_not_there_comes_with_the_nearest_name) {
  const Result<Address> address = resolve(world.store->records(), {"a/scan[pge 3]"});
  ASSERT_FALSE(address.has_value());
  EXPECT_EQ(address.error().code, ErrorCode::not_found);
  EXPECT_EQ(address.error().message, "stage '1/a/scan' has no fan-out child 'pge 3'");
  EXPECT_EQ(address.error().help, "did you mean '1/a/scan[page 3]'?");
  const Result<Address> plain = resolve(world.store->records(), {"a/file[x]"});
  ASSERT_FALSE(plain.has_value());
  EXPECT_EQ(plain.error().message, "stage '1/a/file' has no fan-out child 'x'");
}

TEST(ChildText, is_taken_apart_at_its_last_bracket) {
  const std::string text = address_of(JobId{3}, "a[1]", "s[2]", "c[3]/\n]");
  const std::optional<ChildText> read = read_child(text);
  ASSERT_TRUE(read.has_value()) << text;
  EXPECT_EQ(read->parent, address_of(JobId{3}, "a[1]", "s[2]"));
  EXPECT_EQ(read->child, "c[3]/\n]");
  for (const std::string none : {"3/a/s", "3/a/s[x", "3/a/s\\u005bx]", "]", ""}) {
    EXPECT_FALSE(read_child(none).has_value()) << none;
  }
}

TEST(Address, an_empty_store_says_how_to_begin) {
  World world;
  const Result<Job> job = newest_job(world.store->records());
  ASSERT_FALSE(job.has_value());
  EXPECT_EQ(job.error().help, "start one: pawl run FILE");
}

}  // namespace
}  // namespace pawl::cli
