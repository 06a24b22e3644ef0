/// Code that is made from a stage's own definition, and engines that open nothing more.

#include <map>
#include <set>

#include <gmock/gmock.h>

#include "pawl/codec/workflow.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::HasSubstr;

StageDefinition stage_of(std::string name, std::string handler,
                         std::vector<std::string> needs = {}) {
  return {.name = std::move(name), .needs = std::move(needs), .handler = std::move(handler)};
}
Workflow workflow_of(std::vector<StageDefinition> stages) {
  return *compile({.name = "made", .stages = std::move(stages)});
}
std::shared_ptr<const StageCode> answering(const Json& json) {
  StageCode code;
  code.work = [json](Context&, std::stop_token) -> Outcome { return Output{.json = json}; };
  return std::make_shared<const StageCode>(std::move(code));
}

TEST(CodeSources, make_the_code_of_a_stage_from_its_definition) {
  World world;
  StageDefinition stage = stage_of("double", "file:command");
  stage.params = Json(21);
  world.engine->serve([](const Workflow& workflow,
                         const StageDefinition& asked) -> std::shared_ptr<const StageCode> {
    if (asked.handler != "file:command") return nullptr;
    return answering(Json::object({{"of", workflow.name()}, {"params", asked.params}}));
  });
  const JobId job = *world.engine->submit(workflow_of({stage}), items({"a"}));
  world.run();
  EXPECT_EQ(world.attempts(job, "a", "double").at(0).output.text(), R"({"of":"made","params":21})");
}

TEST(CodeSources, are_asked_after_the_handlers_in_order_and_once_for_each_stage) {
  World world;
  std::vector<std::string> asked;
  const auto source = [&](std::string name, const std::set<std::string>& knows) -> CodeSource {
    return [&asked, name, knows](const Workflow&,
                                 const StageDefinition& stage) -> std::shared_ptr<const StageCode> {
      asked.push_back(name + " for " + stage.name);
      return knows.contains(stage.handler) ? answering(Json(name)) : nullptr;
    };
  };
  WorkflowBuilder build("other");
  build.stage("b", [](Context&, std::stop_token) -> Outcome { return Output{.json = "handler"}; });
  const Program program = built(build);
  world.engine->serve(program);
  const std::string named = program.workflow().stage(StageIndex{0}).handler;
  world.engine->serve(source("one", {"x", named}));
  world.engine->serve(source("two", {"x", "y"}));
  const Workflow flow = workflow_of({stage_of("a", "x"), stage_of("b", named), stage_of("c", "y")});
  const JobId first = *world.engine->submit(flow, items({"k"}));
  world.run();
  const JobId second = *world.engine->submit(flow, items({"k"}));
  world.run();
  EXPECT_EQ(world.attempts(first, "k", "a").at(0).output, Json("one"));
  EXPECT_EQ(world.attempts(first, "k", "b").at(0).output, Json("handler"));
  EXPECT_EQ(world.attempts(second, "k", "c").at(0).output, Json("two"));
  EXPECT_THAT(asked, testing::ElementsAre("one for a", "one for c", "two for c"));
}

TEST(CodeSources, that_come_later_serve_what_has_been_waiting) {
  World world;
  const JobId job = *world.engine->submit(workflow_of({stage_of("a", "x")}), items({"k"}));
  world.run();
  EXPECT_EQ(world.kind(job, "k", "a"), StateKind::ready);
  world.engine->serve([](const Workflow&, const StageDefinition&) { return answering(Json(1)); });
  world.run();
  EXPECT_EQ(world.state(job), JobState::completed);
}

TEST(CodeSources, one_that_throws_is_not_the_end_and_is_told) {
  std::vector<std::string> log;
  World world({.log = [&](LogLevel, const std::string& text) { log.push_back(text); }});
  world.engine->serve(
      [](const Workflow&, const StageDefinition&) -> std::shared_ptr<const StageCode> {
        throw std::runtime_error("bad template");
      });
  const JobId job = *world.engine->submit(workflow_of({stage_of("a", "x")}), items({"k"}));
  world.run();
  EXPECT_EQ(world.kind(job, "k", "a"), StateKind::ready);
  EXPECT_THAT(log, testing::Contains(HasSubstr("could not be made: bad template")));
}

TEST(CodeSources, may_say_that_a_stage_cannot_run_here_now) {
  World world;
  bool is_here = false;
  Json seen;
  StageCode code = *answering(Json(1));
  code.is_available = [&](const Json& labels) {
    seen = labels;
    return is_here;
  };
  const auto shared = std::make_shared<const StageCode>(code);
  world.engine->serve([&](const Workflow&, const StageDefinition& stage) {
    return stage.name == "b" ? shared : answering(Json(2));
  });
  const Workflow flow = workflow_of({stage_of("a", "x"), stage_of("b", "x", {"a"})});
  const JobId job =
      *world.engine->submit(flow, items({"k"}), {.labels = Json::object({{"project", "/p"}})});
  world.run();
  EXPECT_EQ(world.kind(job, "k", "a"), StateKind::succeeded);
  EXPECT_EQ(world.kind(job, "k", "b"), StateKind::ready) << "it is left to others";
  EXPECT_EQ(seen.text(), R"({"project":"/p"})");
  is_here = true;
  world.pass(1min);
  EXPECT_EQ(world.state(job), JobState::completed);
  EXPECT_EQ(world.attempts(job, "k", "b").size(), 1U);
}

// Without code a human stage shows its input; a source may prepare what is shown.
TEST(CodeSources, may_prepare_what_a_human_stage_shows) {
  World world;
  StageDefinition look = stage_of("look", "");
  look.review = ReviewPolicy::always;
  StageDefinition plain = look;
  plain.name = "plain";
  world.engine->serve(
      [](const Workflow&, const StageDefinition& stage) -> std::shared_ptr<const StageCode> {
        return stage.name == "look" ? answering(Json("prepared")) : nullptr;
      });
  const JobId job = *world.engine->submit(workflow_of({look, plain}), items({"k"}));
  world.run();
  EXPECT_EQ(world.attempts(job, "k", "look").at(0).output, Json("prepared"));
  EXPECT_EQ(world.attempts(job, "k", "plain").at(0).output, Json("k"));
  EXPECT_EQ(world.open_reviews(job).size(), 2u);
}

TEST(Contexts, show_the_labels_of_the_job) {
  World world;
  Json seen;
  WorkflowBuilder build("labelled");
  build.stage("a", [&](Context& context, std::stop_token) -> Outcome {
    seen = context.job_labels();
    return Output{};
  });
  world.submit(built(build), items({"k"}), {.labels = Json::object({{"team", "docs"}})});
  world.run();
  EXPECT_EQ(seen.text(), R"({"team":"docs"})");
}

TEST(Engines, one_that_is_kept_to_a_job_leaves_the_others_alone_even_as_it_submits_them) {
  World world;
  const Workflow flow = workflow_of({stage_of("a", "x")});
  const CodeSource source = [](const Workflow&, const StageDefinition&) {
    return answering(Json(1));
  };
  const JobId mine = *world.engine->submit(flow, items({"k"}));
  const auto kept = world.another({.jobs = {mine}});
  kept->serve(source);
  kept->run_until_idle();
  EXPECT_EQ(world.state(mine), JobState::completed);
  const JobId other = *kept->submit(flow, items({"k"}));
  kept->run_until_idle();
  EXPECT_EQ(world.kind(other, "k", "a"), StateKind::ready);
}

/// Two stages; the first stays open until it is completed.
struct Parked {
  std::vector<std::shared_ptr<AsyncAttempt>> open;
  Program program() {
    WorkflowBuilder build("parked");
    build
        .async_stage(
            "work",
            [this](std::shared_ptr<AsyncAttempt> attempt) { open.push_back(std::move(attempt)); })
        .retry({.max_attempts = 3});
    build.stage("after", succeed).needs("work");
    return built(build);
  }
};

TEST(Draining, what_runs_goes_on_and_is_recorded_and_nothing_more_is_opened) {
  World world({.parallel = 2});
  Parked parked;
  const Program program = parked.program();
  const JobId job = world.submit(program, numbered(4));
  world.run();
  ASSERT_EQ(parked.open.size(), 2u);
  world.engine->drain();
  world.run();
  EXPECT_EQ(world.engine->status().open_attempts, 2);
  EXPECT_FALSE(parked.open[0]->stop_token().stop_requested());

  // Through ten leases: it is not declared dead, and retries of others are still woken.
  world.pass(10min);
  EXPECT_EQ(world.kind(job, "item-0", "work"), StateKind::running);
  parked.open[0]->complete(Output{.json = "done"});
  parked.open[1]->complete(retryable("busy"));
  world.pass(10min);
  EXPECT_EQ(world.engine->status().open_attempts, 0);
  EXPECT_EQ(world.kind(job, "item-0", "work"), StateKind::succeeded);
  EXPECT_EQ(world.kind(job, "item-0", "after"), StateKind::ready) << "not opened with the close";
  EXPECT_EQ(world.kind(job, "item-1", "work"), StateKind::ready) << "nor the retry";
  EXPECT_EQ(world.kind(job, "item-2", "work"), StateKind::ready) << "nor what waited";
  EXPECT_EQ(parked.open.size(), 2u);

  const JobId fresh = world.submit(program, numbered(1));
  world.run();
  EXPECT_EQ(world.kind(fresh, "item-0", "work"), StateKind::ready) << "nor what is submitted";
  EXPECT_EQ(world.engine->wait(job)->id, job) << "waiting ends where nothing moves any more";
  world.engine->stop();
  world.expect_sound();
}

TEST(Draining, leaves_the_rest_to_others) {
  World world({.parallel = 1});
  Parked parked;
  const Program program = parked.program();
  const JobId job = world.submit(program, numbered(2));
  world.run();
  world.engine->drain();
  parked.open.at(0)->complete(Output{});
  world.run();
  const auto other = world.another();
  other->serve(program);
  other->run_until_idle();
  ASSERT_EQ(parked.open.size(), 2u);
  parked.open.at(1)->complete(Output{});
  other->run_until_idle();
  EXPECT_EQ(world.state(job), JobState::completed);
}

TEST(Draining, a_condition_that_holds_opens_nothing) {
  World world;
  int executions = 0;
  WorkflowBuilder build("conditional");
  build
      .stage("a",
             [&](Context&, std::stop_token) -> Outcome {
               ++executions;
               return Output{};
             })
      .when([&](Context&) {
        world.engine->drain();
        return true;
      });
  const JobId job = world.submit(built(build), items({"k"}));
  world.run();
  EXPECT_EQ(executions, 0);
  EXPECT_EQ(world.kind(job, "k", "a"), StateKind::ready);
}

TEST(Draining, on_real_threads_waiting_ends_when_the_last_attempt_is_recorded) {
  auto store = open_memory_store(system_clock());
  auto engine = std::move(*Engine::create(store, {.threads = 2, .parallel = 1}));
  std::atomic<bool> started = false;
  std::atomic<bool> release = false;
  WorkflowBuilder build("two");
  build.stage("a", [&](Context&, std::stop_token) -> Outcome {
    started = true;
    started.notify_all();
    release.wait(false);
    return Output{};
  });
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), numbered(3));
  started.wait(false);
  engine->drain();
  release = true;
  release.notify_all();
  const Job seen = *engine->wait(job);
  EXPECT_EQ(state_of(seen), JobState::running);
  EXPECT_EQ(store->records().job(job)->items.succeeded, 1);
  EXPECT_EQ(engine->status().open_attempts, 0);
  engine->stop();
}

// A store that is asked twice returns the same Ready task twice. The second answer to its condition
// must not replace the attempt that followed the first.
TEST(Conditions, that_are_asked_twice_lose_no_attempt) {
  for (int round = 0; round < 20; ++round) {
    auto store = open_memory_store(system_clock());
    auto engine = std::move(*Engine::create(store, {.threads = 4, .parallel = 16}));
    WorkflowBuilder build("maybe");
    build.stage("a", [](Context&, std::stop_token) -> Outcome { return Output{}; });
    build.stage("b", [](Context&, std::stop_token) -> Outcome { return Output{}; })
        .needs("a")
        .when([](Context& context) { return context.item_key().back() != '0'; });
    const Program program = built(build);
    engine->serve(program);
    engine->start();
    const JobId job = *engine->submit(program.workflow(), numbered(100));
    EXPECT_EQ(state_of(*engine->wait(job)), JobState::completed);
    engine->stop();
  }
}

// A decision is logged after its commit, not before.
TEST(Logging, a_decision_is_told_after_its_commit) {
  std::vector<std::string> log;
  JobId job;
  World* there = nullptr;
  World world({.log = [&](LogLevel, const std::string& text) {
    if (!text.starts_with("failed for good")) return;
    log.push_back(std::string(text) + ": " + std::to_string(there->job(job).failed_tasks) +
                  " failed in the store");
  }});
  there = &world;
  WorkflowBuilder build("broken");
  build.stage("a", [](Context&, std::stop_token) -> Outcome { return final_error("no"); });
  const Program program = built(build);
  job = JobId{1};
  world.submit(program, items({"k"}));
  world.run();
  EXPECT_THAT(log, testing::ElementsAre(HasSubstr("1 failed in the store")));
}

TEST(Logging, reports_that_the_attempts_are_used_up) {
  std::vector<std::string> log;
  World world({.log = [&](LogLevel, const std::string& text) { log.push_back(text); }});
  WorkflowBuilder build("down");
  build.stage("a", [](Context&, std::stop_token) -> Outcome { return retryable("no"); })
      .retry({.max_attempts = 2});
  world.submit(built(build), items({"k"}));
  world.run();
  ASSERT_FALSE(log.empty());
  EXPECT_EQ(log.back(), "failed for good: 'a' for 'k', attempt 2 (exhausted)");
}

}  // namespace
}  // namespace pawl
