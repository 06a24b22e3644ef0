/// Items, their stages and their attempts; and the acts on them.

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "service/job_api_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using testing::does;
using ::testing::ElementsAre;
using testing::fails;
using testing::fails_for_good;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::items;
using testing::Script;
using ::testing::SizeIs;
using testing::succeeds;

const auto never = [](Context&, const std::stop_token&) -> Outcome { return Output{}; };

class ItemRoutes : public JobApiTest {
 protected:
  /// convert → publish for these items, and a total for the job. `convert` runs as the script says.
  JobId convert(std::vector<NewItem> some, Script script) {
    WorkflowBuilder build("letters");
    build.stage("convert", never).retry({.max_attempts = 3});
    build.stage("publish", never).needs("convert");
    build.all_items_stage("total", never).needs("publish");
    world_.stage("convert", std::move(script));
    const JobId job = start(build, std::move(some));
    world_.pass(24h);
    return job;
  }
  /// A fan-out into three pages, of which the second fails for good.
  JobId scan() {
    WorkflowBuilder build("scans");
    const auto split = [](Context&, const std::stop_token&) -> Outcome {
      FanOut pages;
      for (const char* key : {"p/1", "p 2", "p3"}) {
        pages.children.push_back({.key = key, .data = Json(key)});
      }
      return pages;
    };
    const auto page = [](Context& context, const std::stop_token&) -> Outcome {
      if (context.child()->key == "p 2" && context.attempt() == 1) {
        return StageError{.error_class = ErrorClass::final, .message = "torn"};
      }
      return Output{.json = Json::object({{"page", context.child()->key}})};
    };
    build.stage("scan", split).each(page).join(never);
    return start(build, items({"book"}));
  }
  static std::vector<NewItem> many(int count) {
    std::vector<NewItem> all;
    for (int i = 0; i < count; ++i) {
      all.push_back({.key = "k" + std::to_string(i), .category = i % 2 == 0 ? "even" : "odd"});
    }
    return all;
  }
};

TEST_F(ItemRoutes, items_are_listed_in_order_of_arrival_and_each_once) {
  const JobId job = convert(many(53), Script{}.then(succeeds()));
  const std::vector<std::string> keys = all_pages(at_job(job, "/items?limit=7"), "items", "item");
  ASSERT_THAT(keys, SizeIs(53));
  EXPECT_EQ(keys.front(), "\"k0\"");
  EXPECT_EQ(keys.back(), "\"k52\"");
  EXPECT_THAT(std::set(keys.begin(), keys.end()), SizeIs(53));
  const Answer page = get(at_job(job, "/items?limit=2"));
  EXPECT_EQ(page.at("total"), R"({"count":53,"is_more":false})");
  for (const Json& row : elements(field(page.json(), "items"))) {
    EXPECT_TRUE(fits_schema(row, "Item"));
  }
  for (const char* cursor : {"x", "-1", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(get(at_job(job, "/items?after=") + cursor).status, 400U) << cursor;
  }
  EXPECT_EQ(get("/api/v1/jobs/99/items").status, 404U);
}

TEST_F(ItemRoutes, filters_choose_and_are_counted_alike) {
  const JobId job =
      convert(many(30), Script{}.then(succeeds()).item("k1").then(fails_for_good("encrypted")));
  const auto keys = [&](const std::string& query) {
    return all_pages(at_job(job, "/items?limit=4&" + query), "items", "item");
  };
  const auto total = [&](const std::string& query) {
    return get(at_job(job, "/items?" + query)).at("total.count");
  };
  EXPECT_THAT(keys("state=failed"), ElementsAre("\"k1\""));
  EXPECT_THAT(keys("state=dead"), ElementsAre("\"k1\"")) << "the word of the tables";
  EXPECT_EQ(total("state=dead"), "1");
  EXPECT_THAT(keys("state=done"), SizeIs(29));
  EXPECT_EQ(total("category=odd"), "15");
  EXPECT_THAT(keys("category=odd&state=done"), SizeIs(14));
  EXPECT_THAT(keys("key_prefix=k2"), SizeIs(11));
  EXPECT_EQ(total("key_prefix=k2"), "11");
  EXPECT_THAT(keys("stage=convert"), ElementsAre("\"k1\"")) << "the only one that has not gone on";
  EXPECT_EQ(total("stage=convert"), "1");
  EXPECT_THAT(keys("stage=convert&category=even"), IsEmpty());
  EXPECT_EQ(get(at_job(job, "/items?stage=convert&category=odd")).at("total"), "null");
  EXPECT_EQ(get(at_job(job, "/items?stage=total")).status, 400U) << "no item is at it";
  EXPECT_EQ(get(at_job(job, "/items?stage=convrt")).status, 404U);
  EXPECT_EQ(get(at_job(job, "/items?state=happy&stge=x")).status, 400U);
}

TEST_F(ItemRoutes, a_row_says_why_the_item_is_in_its_state) {
  WorkflowBuilder build("letters");
  build.stage("convert", never).retry({.max_attempts = 3, .backoff = {.initial = 1h}});
  build.stage("check", never).needs("convert").review(ReviewPolicy::always);
  world_.stage("convert", Script{}
                              .then(succeeds())
                              .item("bad")
                              .then(fails_for_good("no"))
                              .item("slow")
                              .then(fails("busy")));
  const JobId job = start(build, items({"good", "bad", "slow"}));
  EXPECT_THAT(column(get(at_job(job, "/items")), "items", "cause"),
              ElementsAre("\"check: review (policy)\"", "\"convert: dead (final_error)\"",
                          "\"convert: retrying (error_retry)\""));
  EXPECT_THAT(column(get(at_job(job, "/items")), "items", "label"),
              ElementsAre("\"active\"", "\"dead\"", "\"active\""));
  const Answer csv = get(at_job(job, "/items"), {{"Accept", "text/csv"}});
  EXPECT_THAT(csv.body, HasSubstr("bad,2,failed,convert: dead (final_error)"));
}

TEST_F(ItemRoutes, an_item_is_found_by_its_number_and_by_any_key) {
  const JobId job = convert(items({"a", "reports/2019/ä b?.pdf"}), Script{}.then(succeeds()));
  const Answer shown = get(at_item(job, "reports/2019/ä b?.pdf"));
  ASSERT_EQ(shown.status, 200U) << shown.body;
  EXPECT_TRUE(fits_schema(shown.json(), "Item"));
  const Answer by_key = get(at_job(job, "/item?key=reports%2F2019%2F%C3%A4+b%3F.pdf"));
  EXPECT_EQ(by_key.body, shown.body);
  EXPECT_EQ(get(at_job(job, "/item?key=b")).status, 404U);
  EXPECT_EQ(get(at_job(job, "/item")).status, 400U);
  for (const char* number : {"0", "-1", "1.0", "x", "99999999999999999999", "12345"}) {
    EXPECT_EQ(get("/api/v1/items/" + std::string(number)).status, 404U) << number;
  }
}

TEST_F(ItemRoutes, attempts_are_listed_by_stage_and_each_once) {
  const JobId job = convert(
      items({"a"}), Script{}.then(fails("one")).then(fails("two")).then(succeeds({{"n", 1}})));
  const std::string at = at_item(job, "a", "/attempts");
  const Answer all = get(at);
  ASSERT_EQ(all.status, 200U) << all.body;
  EXPECT_THAT(column(all, "attempts", "attempt_number"), ElementsAre("1", "2", "3", "1"));
  EXPECT_THAT(column(all, "attempts", "stage"),
              ElementsAre("\"convert\"", "\"convert\"", "\"convert\"", "\"publish\""));
  for (const Json& row : elements(field(all.json(), "attempts"))) {
    EXPECT_TRUE(fits_schema(row, "Attempt"));
  }
  EXPECT_EQ(all_pages(at + "?limit=1", "attempts", "task"), column(all, "attempts", "task"));
  EXPECT_THAT(column(get(at + "?stage=publish"), "attempts", "stage"), ElementsAre("\"publish\""));
  EXPECT_EQ(get(at + "?stage=publsh").status, 404U);
  EXPECT_EQ(get(at + "?stage=total").status, 400U) << "a job-wide stage";
  EXPECT_EQ(get(at + "?child=x").status, 400U) << "a child of which stage";
  for (const char* cursor : {"x", "1", "1-1", "1-1-0", "1-1-1-1", "-1-1-1", "12345-1-1"}) {
    EXPECT_EQ(get(at + "?after=" + cursor).status, 400U) << cursor;
  }
  const Answer csv = get(at, {{"Accept", "text/csv"}});
  EXPECT_THAT(csv.body, HasSubstr("stage,child,attempt_number"));
}

TEST_F(ItemRoutes, children_of_a_fan_out_have_attempts_of_their_own) {
  const JobId job = scan();
  const std::string at = at_item(job, "book", "/attempts");
  const std::vector<std::string> all = all_pages(at + "?limit=1", "attempts", "child");
  EXPECT_THAT(all, SizeIs(4)) << "one that expanded, and one for each child";
  EXPECT_THAT(all, Contains("\"p/1\""));
  EXPECT_THAT(column(get(at + "?stage=scan&child=p+2"), "attempts", "child"),
              ElementsAre("\"p 2\""));
  EXPECT_THAT(column(get(at + "?stage=scan&child="), "attempts", "result"),
              ElementsAre("\"expanded\""))
      << "the stage without its children";
  EXPECT_EQ(get(at + "?stage=scan&child=p4").status, 404U);
  const Answer children = get(at_item(job, "book", "/children?stage=scan"));
  EXPECT_THAT(column(children, "children", "label"),
              ElementsAre("\"done\"", "\"dead\"", "\"done\""));
  for (const Json& row : elements(field(children.json(), "children"))) {
    EXPECT_TRUE(fits_schema(row, "FanOutChild"));
  }
  EXPECT_THAT(all_pages(at_item(job, "book", "/children?stage=scan&limit=1"), "children", "child"),
              SizeIs(3));
  EXPECT_EQ(get(at_item(job, "book", "/children")).status, 400U);
}

TEST_F(ItemRoutes, a_failed_child_runs_again_by_itself) {
  const JobId job = scan();
  const std::string at = at_item(job, "book", "/retry");
  const Answer other = post(at, Json::object({{"stage", "scan"}, {"child", "p3"}}));
  EXPECT_EQ(other.status, 409U) << "it has not failed";
  const Answer retried = post(at, Json::object({{"stage", "scan"}, {"child", "p 2"}}));
  ASSERT_EQ(retried.status, 200U) << retried.body;
  EXPECT_TRUE(fits_schema(retried.json(), "ItemAct"));
  EXPECT_EQ(retried.at("child"), "\"p 2\"");
  EXPECT_EQ(world_.finish(job), JobState::completed);
}

TEST_F(ItemRoutes, why_lists_every_decision_and_what_is_waited_for) {
  const JobId job = convert(items({"a"}), Script{}.then(fails("one")).then(succeeds()));
  const Answer why = get(at_item(job, "a", "/why"));
  ASSERT_EQ(why.status, 200U) << why.body;
  EXPECT_THAT(column(why, "decisions", "rule"), Contains("\"retry_after_failure\""));
  EXPECT_EQ(why.at("waits_for"), "null") << "it has ended";
  for (const Json& row : elements(field(why.json(), "decisions"))) {
    EXPECT_TRUE(fits_schema(row, "DecisionReason"));
  }
  EXPECT_EQ(all_pages(at_item(job, "a", "/why?limit=1"), "decisions", "rule"),
            column(why, "decisions", "rule"));
  add_greeting();
  const std::string waiting = submit();
  post("/api/v1/jobs/" + waiting + "/pause");
  const Answer paused = get(
      at_item(JobId{std::stoll(waiting)},
              store().records().items({.job = JobId{std::stoll(waiting)}})->front().key, "/why"));
  EXPECT_EQ(paused.at("waits[0].kind"), "\"paused\"") << paused.body;
}

TEST_F(ItemRoutes, outputs_are_compared_line_by_line) {
  const auto writes = [](const char* words) { return succeeds({{"text", words}}); };
  WorkflowBuilder build("letters");
  build.stage("write", never)
      .gate("good", [](const GateContext&, const std::stop_token&) { return Judgement{}; })
      .retry({.refine_attempts = 3});
  world_.stage("write", Script{}.then(writes("one\ntwo\nthree\n")).then(writes("one\n2\nthree\n")));
  world_.gate("write", "good",
              testing::GateScript{}.then(testing::rejects("no")).then(testing::accepts()));
  const JobId job = start(build, items({"a"}));
  world_.pass(1h);
  const std::string at = at_item(job, "a", "/diff");
  const Answer diff = get(at);
  ASSERT_EQ(diff.status, 200U) << diff.body;
  EXPECT_TRUE(fits_schema(diff.json(), "OutputDiff"));
  EXPECT_EQ(diff.at("from"), "1");
  EXPECT_EQ(diff.at("to"), "2");
  EXPECT_THAT(text(diff, "diff"), HasSubstr("-  two\n+  2\n"));
  EXPECT_EQ(get(at + "?from=2&to=2").at("same"), "true");
  EXPECT_EQ(get(at + "?from=1").status, 400U);
  EXPECT_EQ(get(at + "?from=1&to=9").status, 404U);
  EXPECT_EQ(get(at + "?from=0&to=1").status, 400U);
  const Answer criteria = get(at_item(job, "a", "/criteria?stage=write"));
  EXPECT_EQ(criteria.status, 200U);
  EXPECT_TRUE(fits_schema(criteria.json(), "Criteria"));
}

TEST_F(ItemRoutes, logs_come_whole_and_each_stream_once) {
  const std::string long_log(300'000, 'x');
  const std::string kept = *store().keep_payload(long_log);
  const auto writes = does([&](Context&, const std::stop_token&) -> Outcome {
    return Output{.artifacts = {{.kind = ArtifactKind::standard_output,
                                 .name = "stdout",
                                 .reference = {},
                                 .sha256 = kept,
                                 .size = 300'000,
                                 .summary = {}},
                                {.kind = ArtifactKind::standard_error,
                                 .name = "stderr",
                                 .reference = {},
                                 .sha256 = {},
                                 .size = 4,
                                 .summary = Json::object({{"tail", "\x1b[31moh\n"}})}}};
  });
  const JobId job = convert(items({"a"}), Script{}.then(writes));
  const std::string at = at_item(job, "a", "/logs?stage=convert");
  const Answer logs = get(at);
  ASSERT_EQ(logs.status, 200U) << logs.body;
  EXPECT_THAT(column(logs, "logs", "stream"), ElementsAre("\"stdout\"", "\"stderr\""));
  EXPECT_EQ(text(logs, "logs[0].text"), long_log);
  EXPECT_EQ(text(logs, "logs[1].text"), "\x1b[31moh\n") << "hostile text is quoted, not changed";
  EXPECT_EQ(logs.body.find('\x1b'), std::string::npos);
  EXPECT_THAT(all_pages(at + "&limit=1", "logs", "stream"), SizeIs(2));
  EXPECT_THAT(column(get(at + "&attempt=2"), "logs", "stream"), IsEmpty());
  for (const Json& row : elements(field(logs.json(), "logs"))) {
    EXPECT_TRUE(fits_schema(row, "LogText"));
  }
}

TEST_F(ItemRoutes, an_attempt_that_runs_here_shows_its_report_and_its_log_without_secrets) {
  flow("secret.yaml",
       "version: 1\nworkflow: secret\nstages: { s: { run: [echo], secrets: [ITEM_TEST_KEY] } }\n");
  ASSERT_EQ(::setenv("ITEM_TEST_KEY", "swordfish", 1), 0);
  world_.serve(*(*library_.find("secret"))->file);
  world_.stage("s", Script{}.then(testing::hangs()));
  const Answer submitted = post("/api/v1/jobs", Json::object({{"workflow", "secret"}}));
  ASSERT_EQ(submitted.status, 201U) << submitted.body;
  world_.run();
  const JobId job{std::stoll(submitted.at("job"))};
  const auto all = store().records().items({.job = job});
  const auto tasks = store().records().tasks_of(all->front().id);
  ASSERT_THAT(*tasks, SizeIs(1));
  const std::filesystem::path scratch =
      folder_ / "run" / "worker" / (std::to_string(tasks->front().id.value()) + "-1");
  std::filesystem::create_directories(scratch);
  std::ofstream(scratch / "events.jsonl")
      << "{\"progress\":0.25,\"message\":\"opened with swordfish\"}\n";
  std::ofstream(scratch / "stdout") << "so far";
  const std::string at = "/api/v1/items/" + std::to_string(all->front().id.value());
  const Answer shown = get(at);
  EXPECT_TRUE(fits_schema(shown.json(), "Item"));
  EXPECT_EQ(shown.at("live[0].progress"), "0.25");
  EXPECT_EQ(text(shown, "live[0].message"), "opened with ***");
  EXPECT_EQ(text(get(at_job(job)), "live[0].message"), "opened with ***");
  const Answer logs = get(at + "/logs");
  EXPECT_EQ(text(logs, "logs[0].text"), "so far");
  EXPECT_EQ(logs.at("logs[0].running"), "true");
  EXPECT_EQ(::unsetenv("ITEM_TEST_KEY"), 0);
}

TEST_F(ItemRoutes, job_wide_stages_have_the_same_below_their_job) {
  const JobId job = convert(items({"a"}), Script{}.then(succeeds()));
  const std::string at = at_job(job, "/stages/total");
  EXPECT_THAT(column(get(at + "/attempts"), "attempts", "attempt_number"), ElementsAre("1"));
  EXPECT_EQ(get(at + "/why").status, 200U);
  EXPECT_EQ(get(at + "/logs").status, 200U);
  EXPECT_EQ(get(at + "/criteria").status, 200U);
  EXPECT_EQ(get(at + "/children").status, 200U);
  EXPECT_EQ(get(at + "/diff").status, 409U) << "one attempt has nothing to be compared with";
  EXPECT_EQ(get(at_job(job, "/stages/convert/attempts")).status, 400U) << "a stage of items";
  EXPECT_EQ(get(at_job(job, "/stages/nothing/attempts")).status, 404U);
  const Answer retried = post(at + "/retry");
  EXPECT_EQ(retried.status, 200U) << retried.body;
  EXPECT_TRUE(fits_schema(retried.json(), "ItemAct"));
  world_.finish(job);
  EXPECT_THAT(column(get(at + "/attempts"), "attempts", "attempt_number"), SizeIs(2));
}

TEST_F(ItemRoutes, a_retry_reruns_what_failed_and_carries_the_note) {
  const JobId job = convert(items({"a"}), Script{}.then(fails_for_good("no")).then(succeeds()));
  const std::string at = at_item(job, "a", "/retry");
  const Answer retried = post(at, Json::object({{"note", "keep the tables"}}));
  ASSERT_EQ(retried.status, 200U) << retried.body;
  EXPECT_TRUE(fits_schema(retried.json(), "ItemAct"));
  EXPECT_EQ(retried.at("stages"), "[\"convert\"]");
  EXPECT_EQ(text(retried, "id"), std::to_string(job.value()) + "/a");
  world_.finish(job);
  EXPECT_EQ(world_.calls("convert").back().feedback->summary, "keep the tables");
  const Answer nothing = post(at);
  EXPECT_EQ(nothing.status, 409U) << "nothing has failed any more";
  EXPECT_EQ(post(at, Json::object({{"stage", "publish"}})).status, 200U)
      << "a named stage runs again anyway";
  EXPECT_EQ(post(at, Json::object({{"stage", "nothing"}})).status, 404U);
}

TEST_F(ItemRoutes, of_two_operators_who_saw_the_same_failure_one_retries_it) {
  const JobId job = convert(items({"a"}), Script{}.then(fails_for_good("no")));
  const std::string version = get(at_item(job, "a")).at("tasks[0].version");
  const Json order = Json::object({{"stage", "convert"}, {"expected", Json::trusted(version)}});
  EXPECT_EQ(post(at_item(job, "a", "/retry"), order).status, 200U);
  EXPECT_EQ(post(at_item(job, "a", "/retry"), order).status, 409U);
  const Answer unclear = post(at_item(job, "a", "/retry"), Json::object({{"expected", 1}}));
  EXPECT_EQ(unclear.status, 400U);
  EXPECT_THAT(message(unclear), HasSubstr("'expected' needs 'stage'"));
}

TEST_F(ItemRoutes, a_stage_is_skipped_with_a_reason_and_the_item_goes_on) {
  const JobId job = convert(items({"a"}), Script{}.then(fails_for_good("no")));
  const std::string at = at_item(job, "a", "/skip");
  const Answer silent = post(at, Json::object({{"stage", "convert"}}));
  EXPECT_EQ(silent.status, 400U);
  EXPECT_THAT(message(silent), HasSubstr("missing member 'reason'"));
  const Answer skipped =
      post(at, Json::object({{"stage", "convert"}, {"reason", "already English"}}));
  ASSERT_EQ(skipped.status, 200U) << skipped.body;
  EXPECT_TRUE(fits_schema(skipped.json(), "ItemAct"));
  EXPECT_EQ(world_.finish(job), JobState::completed);
  EXPECT_THAT(get(at_item(job, "a", "/why")).body, HasSubstr("already English"));
}

TEST_F(ItemRoutes, a_cancelled_item_leaves_the_others_alone) {
  add_greeting();
  const JobId job{std::stoll(submit())};
  const auto all = store().records().items({.job = job});
  const std::string at = "/api/v1/items/" + std::to_string(all->front().id.value());
  const Answer cancelled = post(at + "/cancel");
  ASSERT_EQ(cancelled.status, 200U) << cancelled.body;
  EXPECT_EQ(post(at + "/cancel").status, 409U);
  EXPECT_THAT(column(get(at_job(job, "/items")), "items", "state"),
              ElementsAre("\"cancelled\"", "\"active\""));
  EXPECT_EQ(post("/api/v1/items/99/cancel").status, 404U);
}

TEST_F(ItemRoutes, only_operators_change_items) {
  const JobId job = convert(items({"a"}), Script{}.then(fails_for_good("no")));
  const Json skip = Json::object({{"stage", "convert"}, {"reason", "x"}});
  expect_only(Role::operate, "POST", at_item(job, "a", "/retry"));
  expect_only(Role::operate, "POST", at_item(job, "a", "/cancel"));
  expect_only(Role::operate, "POST", at_item(job, "a", "/skip"), skip);
  expect_only(Role::operate, "POST", at_job(job, "/stages/total/retry"));
  sign_in_as("vera", Role::viewer);
  EXPECT_EQ(get(at_item(job, "a")).status, 200U);
}

}  // namespace
}  // namespace pawl::service
