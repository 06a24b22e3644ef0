/// Submitting jobs and operating on them.

#include <algorithm>
#include <array>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "service/job_api_test.hpp"

namespace pawl::service {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using testing::fails;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::items;
using ::testing::Not;
using testing::Script;
using ::testing::SizeIs;
using testing::succeeds;

const auto never = [](Context&, const std::stop_token&) -> Outcome { return Output{}; };

class JobRoutes : public JobApiTest {
 protected:
  /// A job of one stage with these items, which run as the script says.
  JobId job_of(std::vector<NewItem> some, Script script, const JobOptions& options = {}) {
    WorkflowBuilder build("letters");
    build.stage("write", never);
    world_.stage("write", std::move(script));
    return start(build, std::move(some), options);
  }
  Json params(std::initializer_list<std::pair<std::string_view, Json>> values) {
    return Json::object(values);
  }
};

TEST_F(JobRoutes, a_known_workflow_is_submitted_with_the_items_of_its_file) {
  add_greeting();
  const Answer submitted = post("/api/v1/jobs", Json::object({{"workflow", "greet"}}));
  ASSERT_EQ(submitted.status, 201U) << submitted.body;
  EXPECT_TRUE(fits_schema(submitted.json(), "SubmittedJob"));
  EXPECT_EQ(submitted.at("items.total"), "2");
  EXPECT_EQ(submitted.at("params"), R"({"tone":"warm","times":1})");
  EXPECT_EQ(submitted.at("submission_open"), "false");
  EXPECT_EQ(submitted.at("submitted_by"), "\"olga\"");
  EXPECT_EQ(submitted.at("budget.cost_usd"), "5");
  EXPECT_EQ(text(submitted, "labels.project"), flows().string()) << "labels are the server's own";
  EXPECT_EQ(text(submitted, "labels.file"), (flows() / "greet.yaml").string());
  EXPECT_EQ(submitted.at("warnings"), "[]");
  const Answer shown = get("/api/v1/jobs/" + submitted.at("job"));
  EXPECT_TRUE(fits_schema(shown.json(), "Job"));
}

TEST_F(JobRoutes, params_items_and_limits_come_from_the_request) {
  add_greeting();
  const std::string job =
      submit({{"params", Json::object({{"tone", "cold"}, {"times", 3}})},
              {"items", Json::array({Json("bo"), Json::object({{"name", "cy"}})})},
              {"budget", Json::object({{"cost_usd", 2.5}, {"deadline", "1h30m"}})},
              {"parallel", 2},
              {"priority", -5},
              {"key", "monday"}});
  const Answer shown = get("/api/v1/jobs/" + job);
  EXPECT_EQ(shown.at("params"), R"({"tone":"cold","times":3})");
  EXPECT_EQ(shown.at("items.total"), "2");
  EXPECT_EQ(shown.at("budget.cost_usd"), "2.5");
  EXPECT_EQ(shown.at("budget.deadline_s"), "5400");
  EXPECT_EQ(shown.at("budget.max_total_attempts"), "100") << "what is not given stays";
  EXPECT_EQ(shown.at("parallel"), "2");
  EXPECT_EQ(shown.at("priority"), "-5");
  EXPECT_THAT(all_pages("/api/v1/jobs/" + job + "/items?limit=1", "items", "data"),
              ElementsAre("\"bo\"", R"({"name":"cy"})"));
}

TEST_F(JobRoutes, items_of_a_request_are_data_and_never_read_as_references) {
  add_greeting();
  const std::vector<std::string> texts{"${params.tone}", "$${x}",     "cost: $5",
                                       "${never closed", "$$${item}", "$"};
  const std::vector<Json> data(texts.begin(), texts.end());
  const std::string job = submit({{"items", Json::array(data)}});
  std::vector<std::string> expected;
  for (const Json& one : data) expected.push_back(one.text());
  EXPECT_EQ(all_pages("/api/v1/jobs/" + job + "/items?limit=2", "items", "data"), expected);
}

TEST_F(JobRoutes, everything_that_is_wrong_with_a_submission_is_said_at_once) {
  add_greeting();
  const Answer wrong =
      post("/api/v1/jobs",
           Json::object({{"workflow", "greet"},
                         {"params", params({{"tone", 5}, {"tune", "x"}, {"times", "3"}})},
                         {"items", "ada"},
                         {"budget", params({{"deadline", "soon"}, {"cost_usd", -1}})}}));
  EXPECT_EQ(wrong.status, 400U);
  for (const char* part : {"\"tone\" must be text", "no param \"tune\"", "\"times\" must be",
                           "'items' must be a list", "\"soon\" is not a duration", "dollars"}) {
    EXPECT_THAT(message(wrong), HasSubstr(part));
  }
  const Answer strict = post(
      "/api/v1/jobs", Json::object({{"workflow", "greet"}, {"budget", params({{"cost", 1}})}}));
  EXPECT_EQ(strict.status, 400U);
  EXPECT_THAT(message(strict), HasSubstr("unknown member 'cost'"));
  EXPECT_THAT(*store().records().jobs({}), IsEmpty());
}

TEST_F(JobRoutes, a_request_cannot_name_files_labels_or_other_sources_of_items) {
  add_greeting();
  for (const char* member : {"file", "labels", "project", "path", "items_file", "adopt"}) {
    const Answer refused =
        post("/api/v1/jobs", Json::object({{"workflow", "greet"}, {member, "/etc/passwd"}}));
    EXPECT_EQ(refused.status, 400U) << member;
  }
  for (const char* name : {"../greet", "greet.yaml", "/etc/passwd", ""}) {
    EXPECT_EQ(post("/api/v1/jobs", Json::object({{"workflow", name}})).status, 404U) << name;
  }
}

TEST_F(JobRoutes, more_items_than_fit_into_one_transaction_are_refused) {
  add_greeting();
  std::string many = "[0";
  for (int i = 1; i <= 50'000; ++i) many += ",0";
  const Answer refused = post(
      "/api/v1/jobs", Json::object({{"workflow", "greet"}, {"items", Json::trusted(many + "]")}}));
  EXPECT_EQ(refused.status, 400U);
  EXPECT_THAT(message(refused), HasSubstr("50000"));
}

TEST_F(JobRoutes, a_second_job_beside_an_unfinished_one_needs_a_key_or_new) {
  add_greeting();
  submit();
  const Answer refused = post("/api/v1/jobs", Json::object({{"workflow", "greet"}}));
  EXPECT_EQ(refused.status, 409U);
  EXPECT_THAT(message(refused), HasSubstr("job 1 of workflow 'greet' is not finished"));
  submit({{"new", true}});
  submit({{"key", "k"}});
  EXPECT_THAT(*store().records().jobs({}), SizeIs(3));
}

TEST_F(JobRoutes, a_known_key_answers_200_with_the_first_job_and_adds_nothing) {
  add_greeting();
  const std::string first = submit({{"key", "k"}});
  const Answer again = post(
      "/api/v1/jobs",
      Json::object({{"workflow", "greet"}, {"key", "k"}, {"items", Json::array({Json("other")})}}));
  EXPECT_EQ(again.status, 200U) << again.body;
  EXPECT_EQ(again.at("job"), first);
  EXPECT_EQ(again.at("items.total"), "2");
}

TEST_F(JobRoutes, of_many_submissions_at_once_one_wins) {
  add_greeting();
  std::vector<std::jthread> clients;
  std::array<unsigned, 8> statuses{};
  for (unsigned& status : statuses) {
    clients.emplace_back([this, &status] {
      status = post("/api/v1/jobs", Json::object({{"workflow", "greet"}})).status;
    });
  }
  clients.clear();
  EXPECT_EQ(std::ranges::count(statuses, 201U), 1);
  EXPECT_EQ(std::ranges::count(statuses, 409U), 7);
}

TEST_F(JobRoutes, a_submission_warns_of_what_is_odd_about_it) {
  flow("odd.yaml",
       "version: 1\nworkflow: odd\nitems: { file: none.jsonl, id: \"${item.name}\" }\n"
       "stages: { s: { run: [echo], secrets: [UNSET_TEST_SECRET] } }\n");
  const Json twin = Json::object({{"name", "a"}});
  const Answer submitted = post(
      "/api/v1/jobs", Json::object({{"workflow", "odd"}, {"items", Json::array({twin, twin})}}));
  ASSERT_EQ(submitted.status, 201U) << submitted.body;
  const std::string warnings = submitted.at("warnings");
  EXPECT_THAT(warnings, HasSubstr("duplicate id"));
  EXPECT_THAT(warnings, HasSubstr("the secret UNSET_TEST_SECRET is not set here"));
  backend_.daemon.works = false;
  const Answer other =
      post("/api/v1/jobs",
           Json::object({{"workflow", "odd"}, {"new", true}, {"items", Json::array({})}}));
  EXPECT_THAT(other.at("warnings"), HasSubstr("produced no items"));
  EXPECT_THAT(other.at("warnings"), Not(HasSubstr("secret"))) << "it runs nothing itself";
}

TEST_F(JobRoutes, the_items_of_a_glob_are_read_and_those_of_a_command_are_not) {
  write("docs/a.md", "A");
  write("docs/b.md", "B");
  flow("docs.yaml",
       "version: 1\nworkflow: docs\nitems: { glob: \"docs/*.md\" }\n"
       "stages: { s: { run: [echo] } }\n");
  const Answer globbed = post("/api/v1/jobs", Json::object({{"workflow", "docs"}}));
  ASSERT_EQ(globbed.status, 201U) << globbed.body;
  EXPECT_EQ(globbed.at("items.total"), "2");
  flow("listed.yaml", "version: 1\nworkflow: listed\nitems: { run: [touch, \"" +
                          (folder_ / "ran").string() + "\"] }\nstages: { s: { run: [echo] } }\n");
  const Answer refused = post("/api/v1/jobs", Json::object({{"workflow", "listed"}}));
  EXPECT_EQ(refused.status, 400U) << refused.body;
  EXPECT_THAT(message(refused), HasSubstr("come from a command"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ran"));
  EXPECT_EQ(post("/api/v1/jobs",
                 Json::object({{"workflow", "listed"}, {"items", Json::array({Json("x")})}}))
                .status,
            201U);
}

TEST_F(JobRoutes, nobody_waits_for_a_pipe_that_a_param_names) {
  ASSERT_EQ(::mkfifo((flows() / "pipe").c_str(), 0600), 0);
  flow("lines.yaml",
       "version: 1\nworkflow: lines\nparams: { from: { type: string } }\n"
       "items: { file: \"${params.from}\" }\nstages: { s: { run: [echo] } }\n");
  for (const char* from : {"pipe", "/dev/zero", "missing", "."}) {
    const Answer refused =
        post("/api/v1/jobs",
             Json::object({{"workflow", "lines"}, {"params", params({{"from", from}})}}));
    EXPECT_EQ(refused.status, 400U) << from << refused.body;
  }
}

TEST_F(JobRoutes, only_operators_submit_and_operate) {
  add_greeting();
  const std::string job = submit();
  expect_only(Role::operate, "POST", "/api/v1/jobs", Json::object({{"workflow", "greet"}}));
  for (const char* act : {"pause", "resume", "cancel", "revive"}) {
    expect_only(Role::operate, "POST", "/api/v1/jobs/" + job + "/" + act);
  }
  expect_only(Role::operate, "PATCH", "/api/v1/jobs/" + job + "/budget");
  EXPECT_EQ(get("/api/v1/jobs/" + job).at("state"), "\"running\"");
  sign_out();
  EXPECT_EQ(get("/api/v1/jobs").status, 401U);
  EXPECT_EQ(post("/api/v1/jobs", Json::object({{"workflow", "greet"}})).status, 401U);
}

TEST_F(JobRoutes, jobs_are_listed_newest_first_and_each_once) {
  add_greeting();
  std::vector<std::string> expected;
  for (int i = 0; i < 25; ++i) expected.insert(expected.begin(), submit({{"new", true}}));
  EXPECT_EQ(all_pages("/api/v1/jobs?limit=4", "jobs", "job"), expected);
  for (const Json& row : elements(field(get("/api/v1/jobs?limit=1").json(), "jobs"))) {
    EXPECT_TRUE(fits_schema(row, "Job"));
  }
  EXPECT_EQ(get("/api/v1/jobs?after=-3").status, 400U);
  EXPECT_EQ(get("/api/v1/jobs?state=done").status, 400U);
}

TEST_F(JobRoutes, filters_choose_by_state_workflow_and_end) {
  const JobId ended = job_of(items({"a"}), Script{}.then(succeeds()));
  const JobId failed = job_of(items({"b"}), Script{}.then(testing::fails_for_good("no")));
  add_greeting();
  submit();
  const std::string paused = submit({{"new", true}});
  ASSERT_EQ(post("/api/v1/jobs/" + paused + "/pause").status, 200U);
  const auto jobs = [&](const std::string& query) {
    return column(get("/api/v1/jobs?" + query), "jobs", "job");
  };
  EXPECT_THAT(jobs("state=completed"), ElementsAre(std::to_string(ended.value())));
  EXPECT_THAT(jobs("state=failed"), ElementsAre(std::to_string(failed.value())));
  EXPECT_THAT(jobs("state=paused"), ElementsAre(paused));
  EXPECT_THAT(jobs("state=running"), SizeIs(1));
  EXPECT_THAT(jobs("ended=true"), SizeIs(2));
  EXPECT_THAT(jobs("ended=true&state=running"), IsEmpty());
  EXPECT_THAT(jobs("workflow=letters"), SizeIs(2));
  EXPECT_THAT(jobs("workflow=other"), IsEmpty());
}

TEST_F(JobRoutes, a_pause_of_a_job_or_a_stage_ends_with_resume) {
  add_greeting();
  const std::string at = "/api/v1/jobs/" + submit();
  EXPECT_EQ(post(at + "/pause").at("state"), "\"paused\"");
  EXPECT_EQ(post(at + "/resume").at("state"), "\"running\"");
  const Answer paused = post(at + "/pause", Json::object({{"stage", "greet"}}));
  EXPECT_TRUE(fits_schema(paused.json(), "Job"));
  EXPECT_EQ(paused.at("paused_stages"), "[\"greet\"]");
  EXPECT_EQ(post(at + "/resume", Json::object({{"stage", "greet"}})).at("paused_stages"), "[]");
  const Answer missing = post(at + "/pause", Json::object({{"stage", "great"}}));
  EXPECT_EQ(missing.status, 404U);
  EXPECT_THAT(missing.body, HasSubstr("did you mean"));
}

TEST_F(JobRoutes, a_cancelled_job_has_ended_and_cannot_be_cancelled_again) {
  add_greeting();
  const std::string at = "/api/v1/jobs/" + submit();
  EXPECT_EQ(post(at + "/cancel").at("state"), "\"cancelled\"");
  EXPECT_EQ(post(at + "/cancel").status, 409U);
  EXPECT_EQ(post(at + "/pause").status, 409U);
  EXPECT_EQ(post(at + "/revive").status, 409U);
  EXPECT_EQ(post("/api/v1/jobs/99/cancel").status, 404U);
  EXPECT_EQ(post("/api/v1/jobs/0/cancel").status, 404U);
  EXPECT_EQ(post("/api/v1/jobs/x/cancel").status, 404U);
}

TEST_F(JobRoutes, a_job_that_its_tolerance_has_ended_is_revived_with_a_larger_one) {
  const JobId job = job_of(items({"a", "b", "c"}), Script{}.then(testing::fails_for_good("no")),
                           {.tolerate_failures = {.count = 0, .percent = {}}});
  ASSERT_EQ(get(at_job(job)).at("cancelled"), "\"tolerance\"");
  EXPECT_EQ(post(at_job(job, "/revive")).status, 409U) << "the limit is still exceeded";
  for (const Json& wrong : {Json("many"), Json("101%"), Json(-1), Json(true)}) {
    EXPECT_EQ(post(at_job(job, "/revive"), Json::object({{"tolerate_failures", wrong}})).status,
              400U)
        << wrong.text();
  }
  const Answer revived = post(at_job(job, "/revive"), Json::object({{"tolerate_failures", "90%"}}));
  EXPECT_EQ(revived.status, 200U) << revived.body;
  EXPECT_EQ(revived.at("tolerate_failures.percent"), "90");
}

TEST_F(JobRoutes, a_budget_is_changed_limit_by_limit) {
  add_greeting();
  const std::string at = "/api/v1/jobs/" + submit() + "/budget";
  const Answer changed = call(
      "PATCH", at, Json::object({{"cost_usd", 7.25}, {"tokens", 1000}, {"no_progress", "30m"}}));
  ASSERT_EQ(changed.status, 200U) << changed.body;
  EXPECT_TRUE(fits_schema(changed.json(), "BudgetOfJob"));
  EXPECT_EQ(changed.at("budget.cost_usd"), "7.25");
  EXPECT_EQ(changed.at("budget.tokens"), "1000");
  EXPECT_EQ(changed.at("budget.no_progress_s"), "1800");
  EXPECT_EQ(changed.at("budget.max_total_attempts"), "100") << "what is not given stays";
  const Answer wrong = call(
      "PATCH", at, Json::object({{"cost_usd", -1}, {"deadline", "later"}, {"no_progress", "5"}}));
  EXPECT_EQ(wrong.status, 400U);
  for (const char* part : {"dollars", "\"later\"", "\"5\""}) {
    EXPECT_THAT(message(wrong), HasSubstr(part));
  }
  EXPECT_EQ(call("PATCH", at, Json::object({{"attempts", -1}, {"tokns", 1}})).status, 400U);
}

TEST_F(JobRoutes, a_budget_that_paused_the_job_is_raised_and_the_job_goes_on) {
  WorkflowBuilder build("letters");
  build.stage("write", never).retry({.max_attempts = 5});
  world_.stage("write", Script{}.then(fails("no")).then(succeeds()));
  const JobId job = start(build, items({"a", "b"}), {.budget = {.max_total_attempts = 2}});
  world_.pass(1h);
  ASSERT_EQ(get(at_job(job)).at("paused"), "\"budget\"");
  const Answer refused = post(at_job(job, "/resume"));
  EXPECT_EQ(refused.status, 409U);
  EXPECT_THAT(text(refused, "error.help"), Not(HasSubstr("SetBudget"))) << refused.body;
  EXPECT_EQ(call("PATCH", at_job(job, "/budget"), Json::object({{"attempts", 9}})).status, 200U);
  EXPECT_EQ(world_.finish(job), JobState::completed);
}

TEST_F(JobRoutes, a_forecast_is_unknown_until_items_have_ended_and_never_zero) {
  const auto costs = [](std::int64_t microusd) {
    return testing::does([microusd](Context&, const std::stop_token&) -> Outcome {
      return Output{.usage = {.cost_microusd = microusd}};
    });
  };
  WorkflowBuilder build("letters");
  build.stage("write", never).limits({.parallel = 1});
  world_.stage("write", Script{}.then(costs(250'000).after(1h)));
  const JobId job = start(build, items({"a", "b", "c", "d"}));
  EXPECT_EQ(get(at_job(job)).at("budget.cost_usd_forecast"), "null");
  EXPECT_EQ(get(at_job(job)).at("budget.attempts_forecast"), "null");
  world_.pass(90min);
  const Answer shown = get(at_job(job));
  EXPECT_EQ(shown.at("items.succeeded"), "1");
  EXPECT_EQ(shown.at("budget.cost_usd_forecast"), "1") << "four times a quarter";
  EXPECT_EQ(shown.at("budget.tokens_forecast"), "null") << "nothing says that there are tokens";
  world_.finish(job);
  EXPECT_EQ(get(at_job(job)).at("budget.cost_usd_forecast"), "1");
  const JobId stopped = start(build, items({"e", "f", "g"}));
  world_.pass(90min);
  post(at_job(stopped, "/cancel"));
  EXPECT_EQ(get(at_job(stopped)).at("budget.cost_usd_forecast"), "null")
      << "what is cut short is not repeated";
}

TEST_F(JobRoutes, graph_stages_and_commands_fit_what_is_said_about_them) {
  add_greeting();
  const std::string at = "/api/v1/jobs/" + submit();
  const Answer graph = get(at + "/graph");
  EXPECT_TRUE(fits_schema(graph.json(), "Graph"));
  EXPECT_EQ(graph.at("stages[0].tasks.ready"), "2");
  EXPECT_TRUE(fits_schema(get(at + "/stages").json(), "StageFigures"));
  const Answer commands = get(at + "/commands");
  EXPECT_TRUE(fits_schema(commands.json(), "Commands"));
  EXPECT_THAT(commands.body, HasSubstr("echo"));
}

TEST_F(JobRoutes, trust_is_for_those_who_may_and_for_imported_jobs_alone) {
  add_greeting();
  const std::string at = "/api/v1/jobs/" + submit() + "/trust";
  expect_only(Role::operate, "POST", at);
  EXPECT_EQ(post(at).status, 409U);
}

TEST_F(JobRoutes, acts_are_in_the_audit_trail_under_the_name_of_the_caller) {
  add_greeting();
  sign_in_as("olga", Role::operate);
  const std::string job = submit();
  post("/api/v1/jobs/" + job + "/pause");
  const auto entries = store().records().audit({});
  ASSERT_TRUE(entries.has_value());
  std::vector<std::string> acts;
  for (const AuditEntry& entry : *entries) {
    acts.push_back(entry.act + " " + entry.actor.name + " " + entry.actor.address);
  }
  EXPECT_THAT(acts, Contains("job.submit olga 127.0.0.1"));
  EXPECT_THAT(acts, Contains("job.pause olga 127.0.0.1"));
}

}  // namespace
}  // namespace pawl::service
