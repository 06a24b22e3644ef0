#include "pawl/compat/task_spec.hpp"

#include <gmock/gmock.h>

#include "pawl/codec/json.hpp"
#include "pawl/compat/event_views.hpp"
#include "runtime/world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(TaskJobs, run_each_task_by_its_type_in_the_order_of_its_dependencies) {
  World world;
  std::vector<std::string> ran;
  HandlerRegistry registry;
  registry.add("fetch", [&](Context& context, std::stop_token) -> Outcome {
    ran.push_back(*field(context.stage_params(), "title").string());
    return Output{.json = "page"};
  });
  registry.add("parse", [&](Context& context, std::stop_token) -> Outcome {
    ran.push_back("parse " + *JsonView(context.upstream("get it")->json).string());
    return Output{};
  });
  const TaskJob tasks{
      .tasks = {{.type = "parse", .title = "read it", .depends_on = {"get it"}},
                {.type = "fetch", .title = "get it", .goal = Json::object({{"url", "x"}})}}};
  const Result<JobId> job = submit(*world.engine, tasks, registry);
  ASSERT_TRUE(job) << job.error().text();
  world.run();
  EXPECT_THAT(ran, ElementsAre("get it", "parse page"));
  EXPECT_EQ(world.state(*job), JobState::completed);
}

TEST(TaskJobs, give_the_whole_spec_to_the_handler_of_its_type) {
  World world;
  std::string given;
  HandlerRegistry registry;
  registry.add("fetch", [&](Context& context, std::stop_token) -> Outcome {
    given = context.stage_params().text();
    return Output{};
  });
  const TaskJob tasks{.tasks = {{.type = "fetch",
                                 .title = "get it",
                                 .intent = "read the news",
                                 .goal = Json::object({{"url", "x"}}),
                                 .constraints = Json::object({{"pages", 3}}),
                                 .hints = Json::object({{"cache", true}})}}};
  const Result<JobId> job = submit(*world.engine, tasks, registry);
  ASSERT_TRUE(job) << job.error().text();
  EXPECT_EQ(world.kind(*job, "tasks", "get it"), StateKind::ready);
  world.run();
  EXPECT_EQ(given, R"({"type":"fetch","title":"get it","intent":"read the news",)"
                   R"("goal":{"url":"x"},"constraints":{"pages":3},"hints":{"cache":true}})");
}

TEST(TaskJobs, report_all_their_faults_at_once) {
  World world;
  HandlerRegistry registry;
  registry.add("fetch", succeed);
  const TaskJob tasks{
      .tasks = {{.type = "fetsh", .title = "a"}, {.type = "nothing", .title = "b"}}};
  const Result<JobId> job = submit(*world.engine, tasks, registry);
  ASSERT_FALSE(job);
  EXPECT_THAT(job.error().message, HasSubstr("did you mean 'fetch'"));
  EXPECT_THAT(job.error().message, HasSubstr("'nothing'"));
}

TEST(TaskJobs, a_custom_decider_replaces_the_policy_and_is_recorded_by_name) {
  World world;
  HandlerRegistry registry;
  registry.add("flaky", [](Context&, std::stop_token) -> Outcome { return retryable("network"); });
  registry.add_decider("patient", [](const StageDefinition&, const Attempt& attempt) -> Advice {
    if (attempt.number >= 3) return MarkDead{"Max attempts (3) exceeded"};
    const auto delay = std::chrono::seconds(1u << attempt.number);
    return Retry{.delay = delay, .reason = "Retry " + std::to_string(attempt.number) + " of 3"};
  });
  const TaskJob tasks{.tasks = {{.type = "flaky", .title = "t"}}, .decider = "patient"};
  const Result<JobId> job = submit(*world.engine, tasks, registry);
  ASSERT_TRUE(job);
  world.pass(1min);
  const auto attempts = world.attempts(*job, "tasks", "t");
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[0].decider, "patient");
  EXPECT_EQ(attempts[0].decision.reason, "Retry 1 of 3");
  EXPECT_EQ(attempts[1].opened_at - attempts[0].ended_at, 2s);
  EXPECT_EQ(attempts[2].decision.reason, "Max attempts (3) exceeded");
  EXPECT_EQ(world.kind(*job, "tasks", "t"), StateKind::failed);
}

TEST(TaskJobs, are_stuck_after_fifty_decisions_without_an_ended_task) {
  World world;
  HandlerRegistry registry;
  registry.add("never", [](Context&, std::stop_token) -> Outcome { return retryable("no"); });
  registry.add_decider("forever",
                       [](const StageDefinition&, const Attempt&) -> Advice { return Retry{}; });
  TaskJob spec{.tasks = {{.type = "never", .title = "t"}}, .decider = "forever"};
  spec.budget.max_attempts_per_task = 1'000;
  const Result<JobId> job = submit(*world.engine, spec, registry);
  ASSERT_TRUE(job) << job.error().text();
  world.run();
  EXPECT_EQ(world.job(*job).paused, PauseCause::no_progress);
  EXPECT_EQ(world.attempts(*job, "tasks", "t").size(), 50u);
}

TEST(TaskJobs, need_no_titles_and_may_have_equal_ones) {
  World world;
  std::vector<std::string> ran;
  HandlerRegistry registry;
  registry.add("fetch", [&](Context& context, std::stop_token) -> Outcome {
    ran.push_back(std::string(context.stage_name()));
    return Output{};
  });
  const TaskJob tasks{.tasks = {{.type = "fetch", .title = "last", .depends_on = {"page"}},
                                {.type = "fetch", .title = "page"},
                                {.type = "fetch"},
                                {.type = "fetch", .title = "page", .depends_on = {"fetch-3"}}}};
  EXPECT_THAT(stage_names(tasks.tasks), ElementsAre("last", "page", "fetch-3", "page#2"));
  const Result<JobId> job = submit(*world.engine, tasks, registry);
  ASSERT_TRUE(job) << job.error().text();
  world.run();
  EXPECT_THAT(ran, ElementsAre("page", "fetch-3", "page#2", "last"))
      << "a title that two tasks share means both";
}

TEST(TaskJobs, take_the_type_of_a_task_from_its_hints_if_the_spec_has_none) {
  World world;
  HandlerRegistry registry;
  registry.add("fetch", succeed);
  const Json hints = Json::object({{"type", "fetch"}});
  const Result<JobId> job =
      submit(*world.engine, {.tasks = {{.title = "get it", .hints = hints}}}, registry);
  ASSERT_TRUE(job) << job.error().text();
  world.run();
  EXPECT_EQ(world.state(*job), JobState::completed);
  const Result<JobId> untyped = submit(*world.engine, {.tasks = {{.title = "get it"}}}, registry);
  ASSERT_FALSE(untyped);
  EXPECT_THAT(untyped.error().message, HasSubstr("task 'get it' has no type"));
}

TEST(TaskJobs, keep_the_default_limits_that_a_budget_leaves_open) {
  World world;
  HandlerRegistry registry;
  registry.add("fetch", succeed);
  const TaskJob limited{.tasks = {{.type = "fetch"}}, .budget = {.max_total_attempts = 9}};
  const Budget kept = world.job(*submit(*world.engine, limited, registry)).budget;
  EXPECT_EQ(kept.max_total_attempts, 9);
  EXPECT_EQ(kept.max_attempts_per_task, 5U);
  EXPECT_EQ(kept.no_progress_decisions, 50);
  const TaskJob own{.tasks = {{.type = "fetch"}},
                    .budget = {.max_attempts_per_task = 2, .no_progress_decisions = 7}};
  EXPECT_EQ(world.job(*submit(*world.engine, own, registry)).budget, own.budget);
}

TEST(TaskJobs, tell_of_their_events_with_the_names_of_items_and_stages) {
  World world;
  HandlerRegistry registry;
  registry.add("flaky", [](Context& context, std::stop_token) -> Outcome {
    if (context.attempt() == 1) return retryable("busy");
    return Output{};
  });
  const TaskJob tasks{.name = "plan", .tasks = {{.type = "flaky", .title = "get it"}}};
  const JobId job = *submit(*world.engine, tasks, registry);
  world.pass(1min);
  Records& records = world.engine->records();
  std::vector<std::string> retried;
  const std::vector<Event> events = *records.events({.job = job, .item = {}, .limit = 100});
  for (const Event& event : events) {
    const auto retry = as<RetryAttempt>(event, records);
    if (!retry) continue;
    retried.push_back(retry->names.item + "/" + retry->names.stage);
    EXPECT_EQ(event.attempt_id(), (AttemptId{retry->task, 2}));
  }
  EXPECT_THAT(retried, ElementsAre("plan/get it"));
}

TEST(TaskJobs, an_engine_that_only_serves_the_handlers_runs_the_tasks_of_another) {
  World world({.categories = {"none"}});
  HandlerRegistry registry;
  int runs = 0;
  registry.add("count", [&](Context&, std::stop_token) -> Outcome {
    ++runs;
    return Output{};
  });
  const TaskJob tasks{.tasks = {{.type = "count", .title = "t"}}};
  const Result<JobId> job = submit(*world.engine, tasks, registry);
  ASSERT_TRUE(job) << job.error().text();
  world.run();
  EXPECT_EQ(runs, 0);
  const std::unique_ptr<Engine> worker = world.another();
  serve(*worker, registry);
  worker->run_until_idle();
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(world.state(*job), JobState::completed);
}

}  // namespace
}  // namespace pawl
