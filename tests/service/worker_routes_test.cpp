/// Workers and pools.

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api_test.hpp"
#include "fits_schema.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::items;
using testing::Script;
using ::testing::SizeIs;
using testing::succeeds;

class WorkerRoutes : public ApiTest {
 protected:
  WorkerId enlist(const std::string& name, Duration lease = 1h) {
    return *store().enlist({.host = "host-a", .pid = 7, .name = name, .lease = lease});
  }
  static std::vector<Json> rows(const Answer& answer, std::string_view name) {
    const Json document = answer.json();
    return elements(field(document, name));
  }
  std::vector<std::string> states(const std::string& query = {}) {
    std::vector<std::string> all;
    for (const Json& row : rows(get("/api/v1/workers" + query), "workers")) {
      all.push_back(field(row, "state").string().value_or(""));
    }
    return all;
  }
};

TEST_F(WorkerRoutes, a_worker_shows_what_it_holds_and_what_it_leaves_to_others) {
  const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
  WorkflowBuilder build("letters");
  build.stage("write", succeed).limits({.pool = "printer", .parallel = 2});
  world_.stage("write", Script{}.then(succeeds().after(1h)));
  world_.submit(testing::built(build), items({"a", "b", "c"}));
  world_.run();
  const Answer answer = get("/api/v1/workers");
  ASSERT_EQ(answer.status, 200U) << answer.body;
  const std::vector<Json> workers = rows(answer, "workers");
  ASSERT_THAT(workers, SizeIs(1)) << "the engine of the world";
  EXPECT_TRUE(fits_schema(workers[0], "Worker"));
  EXPECT_EQ(field(workers[0], "attempts_open").text(), "2");
  EXPECT_EQ(field(workers[0], "state").text(), "\"alive\"");
  EXPECT_EQ(answer.at("total.count"), "1");

  const Answer one = get("/api/v1/workers/" + std::string(field(workers[0], "worker").text()));
  EXPECT_EQ(one.json(), workers[0]);

  const Answer pools = get("/api/v1/pools");
  const std::vector<Json> all = rows(pools, "pools");
  ASSERT_THAT(all, SizeIs(1)) << pools.body;
  EXPECT_TRUE(fits_schema(all[0], "Pool"));
  EXPECT_EQ(field(all[0], "pool").text(), "\"printer\"");
  EXPECT_EQ(field(all[0], "open").text(), "2");
  EXPECT_EQ(field(all[0], "limit").text(), "2");
}

TEST_F(WorkerRoutes, those_that_have_signed_off_are_shown_only_if_asked_for) {
  const WorkerId gone = enlist("gone");
  ASSERT_TRUE(store().retire(gone));
  EXPECT_THAT(states(), ElementsAre("alive"));
  EXPECT_THAT(states("?all=true"), ElementsAre("alive", "retired"));
}

TEST_F(WorkerRoutes, a_worker_whose_lease_has_expired_or_whose_process_has_died_is_lost) {
  const WorkerId dead = enlist("dead");
  enlist("late", 1min);
  EXPECT_THAT(states(), ElementsAre("alive", "alive", "alive"));
  backend_.daemon.is_dead = [dead](WorkerId worker) { return worker == dead; };
  EXPECT_THAT(states(), ElementsAre("alive", "lost", "alive"));
  world_.pass(2min);
  EXPECT_THAT(states(), ElementsAre("alive", "lost", "lost"));
}

TEST_F(WorkerRoutes, paging_brings_each_worker_once) {
  for (int i = 0; i < 25; ++i) enlist("worker");
  std::vector<std::string> numbers;
  std::string after;
  for (int pages = 0; pages < 50; ++pages) {
    const Answer answer = get("/api/v1/workers?limit=4" + after);
    for (const Json& row : rows(answer, "workers")) {
      numbers.emplace_back(field(row, "worker").text());
    }
    const Json document = answer.json();
    const auto next = field(document, "next").string();
    if (!next) break;
    after = "&after=" + *next;
  }
  EXPECT_THAT(numbers, SizeIs(26));
  EXPECT_EQ(std::set(numbers.begin(), numbers.end()).size(), 26U);
}

TEST_F(WorkerRoutes, an_unknown_worker_is_404_and_a_malformed_cursor_400) {
  EXPECT_EQ(get("/api/v1/workers/99").status, 404U);
  EXPECT_EQ(get("/api/v1/workers/x").status, 404U);
  EXPECT_EQ(get("/api/v1/workers?after=x").status, 400U);
  EXPECT_EQ(get("/api/v1/workers?all=perhaps").status, 400U);
}

TEST_F(WorkerRoutes, names_are_safe_in_csv) {
  enlist("=cmd|calc");
  EXPECT_THAT(get("/api/v1/workers", {{"Accept", "text/csv"}}).body, HasSubstr(",'=cmd|calc,"));
}

TEST_F(WorkerRoutes, pools_are_paged_by_their_names) {
  const StageFunction succeed = [](Context&, std::stop_token) -> Outcome { return Output{}; };
  WorkflowBuilder build("letters");
  for (const char* name : {"a", "b", "c"}) {
    build.stage(name, succeed).limits({.pool = std::string("pool of ") + name, .parallel = 1});
  }
  world_.stage("a", Script{}.then(succeeds().after(1h)));
  world_.submit(testing::built(build), items({"x"}));
  const Answer first = get("/api/v1/pools?limit=2");
  EXPECT_THAT(rows(first, "pools"), SizeIs(2));
  EXPECT_EQ(first.at("next"), "\"pool of b\"");
  const Answer rest = get("/api/v1/pools?after=pool+of+b");
  EXPECT_THAT(rest.body, HasSubstr("pool of c"));
  EXPECT_EQ(rest.at("next"), "null");
}

}  // namespace
}  // namespace pawl::service
