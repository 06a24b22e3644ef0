#include "pawl/compat/task_spec.hpp"

#include <gmock/gmock.h>

#include "pawl/codec/json.hpp"
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
  spec.budget.max_attempts_per_task.reset();
  const Result<JobId> job = submit(*world.engine, spec, registry);
  ASSERT_TRUE(job) << job.error().text();
  world.run();
  EXPECT_EQ(world.job(*job).paused, PauseCause::no_progress);
  EXPECT_EQ(world.attempts(*job, "tasks", "t").size(), 50u);
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
