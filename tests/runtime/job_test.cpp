/// Jobs: budgets, deadlines, pause, cancel, tolerance, categories, priorities.

#include <map>

#include <gmock/gmock.h>

#include "pawl/codec/json.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::HasSubstr;

Program one_stage(StageFunction work, const RetryPolicy& retry = {}) {
  WorkflowBuilder build("one");
  build.stage("work", std::move(work)).retry(retry);
  return built(build);
}

TEST(Jobs, a_used_up_attempt_budget_pauses_exactly_there_and_goes_on_when_raised) {
  World world;
  int executions = 0;
  const Program program = one_stage([&](Context&, std::stop_token) -> Outcome {
    ++executions;
    return Output{};
  });
  const JobId job = world.submit(program, numbered(10), {.budget = {.max_total_attempts = 4}});
  world.run();
  EXPECT_EQ(executions, 4);
  EXPECT_EQ(world.state(job), JobState::paused);
  const auto refused = world.engine->resume(job);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::refused);
  EXPECT_THAT(refused.error().text(),
              HasSubstr("raise the budget (SetBudget, or `pawl job budget 1`)"));
  ASSERT_TRUE(world.engine->act(SetBudget{.job = job, .budget = {.max_total_attempts = 100}}));
  world.run();
  EXPECT_EQ(executions, 10);
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Jobs, a_passed_deadline_that_fails_the_job_leaves_the_rest_cancelled_not_dead) {
  World world({.parallel = 1});
  const Program program = one_stage([&](Context&, std::stop_token) -> Outcome {
    world.clock.advance(1min);
    return Output{};
  });
  const JobId job = world.submit(program, numbered(10),
                                 {.budget = {.deadline = 150s, .exhausted = OnBudgetEnd::fail}});
  world.pass(1h);
  const Job row = world.job(job);
  EXPECT_EQ(state_of(row), JobState::failed);
  EXPECT_TRUE(row.has_ended());
  EXPECT_EQ(row.dead_letters, 0);
  EXPECT_EQ(row.items.succeeded, 2);
  EXPECT_EQ(row.items.cancelled, 1) << "it ran when the deadline passed: recorded, not applied";
  const Workflow workflow = *world.store->records().workflow(row.workflow_hash);
  EXPECT_EQ(shown_counts(row, workflow, StageIndex{0})[StateKind::cancelled], 8);
  world.expect_sound();
}

TEST(Jobs, a_job_that_makes_no_progress_is_paused) {
  World world;
  const Program program =
      one_stage([](Context&, std::stop_token) -> Outcome { return retryable("down"); },
                {.max_attempts = 1'000, .backoff = {.initial = 1s, .multiplier = 1}});
  const JobId job = world.submit(program, items({"a"}), {.budget = {.no_progress = 30s}});
  world.pass(10min);
  EXPECT_EQ(world.job(job).paused, PauseCause::no_progress);
  EXPECT_LE(world.attempts(job, "a", "work").size(), 33u);
}

// What runs finishes and applies; nothing new starts.
TEST(Jobs, a_paused_job_starts_nothing_and_lets_what_runs_apply) {
  World world;
  std::vector<std::shared_ptr<AsyncAttempt>> open;
  WorkflowBuilder build("paused");
  build.async_stage(
      "call", [&](std::shared_ptr<AsyncAttempt> attempt) { open.push_back(std::move(attempt)); });
  build.stage("after", succeed).needs("call");
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  ASSERT_TRUE(world.engine->pause(job));
  open.at(0)->complete(Output{});
  world.run();
  EXPECT_EQ(world.kind(job, "a", "call"), StateKind::succeeded);
  EXPECT_EQ(world.kind(job, "a", "after"), StateKind::ready);
  EXPECT_EQ(world.state(job), JobState::paused);
  ASSERT_TRUE(world.engine->resume(job));
  world.run();
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

// I11
TEST(Jobs, after_a_cancel_nothing_is_claimed_and_what_ran_is_recorded_but_not_applied) {
  World world;
  std::vector<std::shared_ptr<AsyncAttempt>> open;
  WorkflowBuilder build("cancelled");
  build.async_stage(
      "call", [&](std::shared_ptr<AsyncAttempt> attempt) { open.push_back(std::move(attempt)); });
  build.stage("after", succeed).needs("call");
  const JobId job = world.submit(built(build), numbered(3), {.parallel = 1});
  world.run();
  ASSERT_EQ(open.size(), 1u);
  ASSERT_TRUE(world.engine->cancel(job));
  EXPECT_EQ(world.state(job), JobState::cancelled) << "shown at once";
  world.run();
  EXPECT_TRUE(open[0]->stop_token().stop_requested());
  open[0]->complete(Output{.json = "done anyway"});
  world.run();
  EXPECT_EQ(open.size(), 1u);
  const auto attempts = world.attempts(job, "item-0", "call");
  ASSERT_EQ(attempts.size(), 1u);
  EXPECT_EQ(attempts[0].output.text(), R"("done anyway")");
  EXPECT_EQ(attempts[0].decision.kind, DecisionKind::cancel);
  EXPECT_EQ(world.kind(job, "item-0", "call"), StateKind::cancelled);
  EXPECT_TRUE(world.job(job).has_ended());
  world.expect_sound();
}

TEST(Jobs, one_item_can_be_cancelled_and_the_others_go_on) {
  World world;
  std::map<std::string, std::shared_ptr<AsyncAttempt>> open;
  WorkflowBuilder build("items");
  build.async_stage("call", [&](std::shared_ptr<AsyncAttempt> attempt) {
    open[attempt->context().item_key()] = attempt;
  });
  build.stage("after", succeed).needs("call");
  const JobId job = world.submit(built(build), items({"a", "b"}));
  world.run();
  ASSERT_TRUE(world.engine->act(CancelItem{.item = world.store->records().item(job, "a")->id}));
  world.run();
  EXPECT_TRUE(open["a"]->stop_token().stop_requested());
  open["a"]->complete(Output{});
  open["b"]->complete(Output{});
  world.run();
  EXPECT_EQ(world.store->records().item(job, "a")->state, ItemState::cancelled);
  EXPECT_EQ(world.store->records().item(job, "b")->state, ItemState::succeeded);
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Jobs, more_failures_than_tolerated_end_the_job_and_cancel_the_rest) {
  World world({.parallel = 1});
  int executions = 0;
  const Program program = one_stage([&](Context&, std::stop_token) -> Outcome {
    ++executions;
    return final_error("bad");
  });
  const JobId job = world.submit(program, numbered(10), {.tolerate_failures = {.count = 2}});
  world.run();
  EXPECT_EQ(executions, 3);
  EXPECT_EQ(world.state(job), JobState::failed);
  EXPECT_EQ(world.job(job).cancelled, CancelCause::tolerance);
  EXPECT_TRUE(world.job(job).has_ended());
  world.expect_sound();
}

// Commits claim by the last look at the lanes; an urgent job that is submitted meanwhile must not
// wait until that is outdated.
TEST(Jobs, an_urgent_job_has_the_next_slot_although_a_commit_could_fill_it) {
  World world({.parallel = 1});
  std::vector<std::string> ran;
  std::optional<Program> urgent;
  const Program slow = one_stage([&](Context& context, std::stop_token) -> Outcome {
    ran.push_back(context.item_key());
    if (ran.size() == 3) {
      (void)*world.engine->submit(urgent->workflow(), items({"urgent"}), {.priority = 5});
    }
    return Output{};
  });
  urgent = slow;
  world.submit(slow, numbered(10));
  world.run();
  ASSERT_EQ(ran.size(), 11U);
  // The next commit may still use the earlier look; the one after that does not.
  EXPECT_THAT(std::vector(ran.begin() + 3, ran.begin() + 5), testing::Contains("urgent"));
  world.expect_sound();
}

// The one slot goes to the urgent job, whose budget does not allow another attempt. That is only
// known when the store is asked, and nothing else would make the engine ask again.
TEST(Jobs, a_slot_that_a_used_up_budget_refuses_goes_to_the_next_job_at_once) {
  World world({.parallel = 1});
  std::vector<std::string> ran;
  const Program program = one_stage([&](Context& context, std::stop_token) -> Outcome {
    ran.push_back(context.item_key());
    world.clock.advance(1s);  // the last look is too old to claim with the commit
    return Output{};
  });
  JobOptions urgent{.priority = 5};
  urgent.budget.max_total_attempts = 1;
  const JobId first = world.submit(program, items({"a", "b"}), urgent);
  const JobId second = world.submit(program, items({"c"}));
  world.run();
  EXPECT_THAT(ran, ElementsAre("a", "c"));
  EXPECT_EQ(world.job(first).paused, PauseCause::budget);
  EXPECT_EQ(world.state(second), JobState::completed);
  world.expect_sound();
}

TEST(Jobs, an_engine_can_be_restricted_to_categories_and_stages) {
  World world({.categories = {"invoices"}});
  std::vector<std::string> ran;
  const Program program = one_stage([&](Context& context, std::stop_token) -> Outcome {
    ran.push_back(context.item_key());
    return Output{};
  });
  world.submit(program,
               {{.key = "i", .category = "invoices"}, {.key = "l", .category = "letters"}});
  world.run();
  EXPECT_THAT(ran, ElementsAre("i"));
  auto other = world.another({.categories = {"letters"}});
  other->serve(program);
  other->run_until_idle();
  EXPECT_THAT(ran, ElementsAre("i", "l"));
}

TEST(Jobs, jobs_of_equal_priority_take_turns_and_higher_ones_go_first) {
  World world({.parallel = 1});
  std::vector<std::int64_t> order;
  const Program program = one_stage([&](Context& context, std::stop_token) -> Outcome {
    order.push_back(context.job().value());
    return Output{};
  });
  // A paused job holds the engine back until all three are submitted.
  std::vector<JobId> jobs;
  for (const int priority : {0, 0, 5}) {
    world.engine->serve(program);
    jobs.push_back(*world.engine->submit(program.workflow(), std::vector<NewItem>{},
                                         {.priority = priority, .keep_open = true}));
    ASSERT_TRUE(world.engine->pause(jobs.back()));
    ASSERT_TRUE(world.engine->add_items(jobs.back(), numbered(2), true));
  }
  for (const JobId job : jobs) ASSERT_TRUE(world.store->act(ResumeJob{.job = job}));
  world.run();
  EXPECT_THAT(order, ElementsAre(3, 3, 1, 2, 1, 2));
}

// Per-stage and per-pool limits
TEST(Jobs, a_stage_limit_bounds_what_runs_at_once_and_a_full_pool_blocks_nobody_else) {
  World world;
  std::vector<std::shared_ptr<AsyncAttempt>> slow;
  int quick = 0;
  WorkflowBuilder build("pools");
  build
      .async_stage(
          "slow",
          [&](std::shared_ptr<AsyncAttempt> attempt) { slow.push_back(std::move(attempt)); })
      .limits({.pool = "graph_db", .parallel = 2});
  build.stage("quick", [&](Context&, std::stop_token) -> Outcome {
    ++quick;
    return Output{};
  });
  const JobId job = world.submit(built(build), numbered(6));
  world.run();
  EXPECT_EQ(slow.size(), 2u);
  EXPECT_EQ(quick, 6);
  while (!slow.empty()) {
    auto now = std::exchange(slow, {});
    for (auto& attempt : now) attempt->complete(Output{});
    world.run();
    EXPECT_LE(slow.size(), 2u);
  }
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Jobs, an_urgent_job_at_its_own_limit_leaves_the_other_slots_to_the_next) {
  World world({.parallel = 2});
  std::vector<std::shared_ptr<AsyncAttempt>> slow;
  int quick = 0;
  WorkflowBuilder urgent("urgent");
  urgent.async_stage(
      "slow", [&](std::shared_ptr<AsyncAttempt> attempt) { slow.push_back(std::move(attempt)); });
  const Program other = one_stage([&](Context&, std::stop_token) -> Outcome {
    ++quick;
    return Output{};
  });
  const JobId first = world.submit(built(urgent), numbered(3), {.parallel = 1, .priority = 5});
  const JobId second = world.submit(other, numbered(4));
  world.run();
  EXPECT_EQ(slow.size(), 1U);
  EXPECT_EQ(quick, 4) << "while the urgent one holds one slot and may not have the other";
  EXPECT_EQ(world.state(second), JobState::completed);
  while (!slow.empty()) {
    std::exchange(slow, {}).front()->complete(Output{});
    world.run();
  }
  EXPECT_EQ(world.state(first), JobState::completed);
  world.expect_sound();
}

TEST(Jobs, a_submission_that_was_cut_off_is_read_again_without_losing_or_doubling) {
  World world;
  std::multiset<std::string> seen;
  const Program program = one_stage([&](Context& context, std::stop_token) -> Outcome {
    seen.insert(context.item_key());
    return Output{};
  });
  world.engine->serve(program);
  int pages = 0;
  const auto source = [&](std::vector<NewItem>& page) -> Result<bool> {
    if (++pages == 2) return fail(ErrorCode::unavailable, "the source went away");
    page = {{.data = Json("x")}, {.data = Json("x")}, {.data = Json::object({{"id", 7}})}};
    return true;
  };
  EXPECT_FALSE(world.engine->submit(program.workflow(), source));
  world.run();
  const JobId job{1};
  EXPECT_EQ(world.state(job), JobState::running) << "submission is still open";
  const auto all = [](std::vector<NewItem>& page) -> Result<bool> {
    page = {{.data = Json::object({{"id", 7}})},
            {.data = Json("new")},
            {.data = Json("x")},
            {.data = Json("x")}};
    return false;
  };
  ASSERT_TRUE(world.engine->resume_submission(job, all));
  world.run();
  EXPECT_THAT(seen, ElementsAre("7", "new", "x", "x#2"));
  EXPECT_EQ(world.state(job), JobState::completed);
  world.expect_sound();
}

TEST(Jobs, what_an_earlier_job_finished_unchanged_is_adopted) {
  World world;
  int executions = 0;
  const Program program = one_stage([&](Context&, std::stop_token) -> Outcome {
    ++executions;
    return Output{.json = "made"};
  });
  const std::vector<NewItem> first{{.key = "a", .data = 1, .data_sha256 = "1"},
                                   {.key = "b", .data = 2, .data_sha256 = "2"}};
  world.submit(program, first);
  world.run();
  std::vector<NewItem> second = first;
  second[1].data_sha256 = "changed";
  const JobId job = world.submit(program, second, {.adopt = true});
  world.run();
  EXPECT_EQ(executions, 3);
  EXPECT_EQ(world.job(job).items.adopted, 1);
  EXPECT_EQ(world.state(job), JobState::completed);
  const Item adopted = *world.store->records().item(job, "a");
  EXPECT_EQ(world.store->records().outputs(adopted.id)->at(0).output.text(), R"("made")");
  world.expect_sound();
}

TEST(Jobs, submitting_twice_under_one_key_is_submitting_once) {
  World world;
  const Program program = one_stage(succeed);
  const JobId first = world.submit(program, numbered(2), {.key = "nightly"});
  const JobId second = world.submit(program, numbered(5), {.key = "nightly"});
  EXPECT_EQ(first, second);
  EXPECT_EQ(world.job(first).items.total, 2);
}

TEST(Jobs, submitting_a_known_key_reads_one_page_and_adds_nothing) {
  World world;
  const Program program = one_stage(succeed);
  const JobId first = world.submit(program, items({"a"}), {.key = "monday"});
  int pages = 0;
  const ItemSource source = [&](std::vector<NewItem>& page) -> Result<bool> {
    page = items({"page " + std::to_string(++pages)});
    return pages < 3;
  };
  bool was_known = false;
  const JobOptions options{.key = "monday", .on_submitted = [&](const Submitted& submitted) {
                             was_known = submitted.was_known;
                           }};
  const Result<JobId> second = world.engine->submit(program.workflow(), source, options);
  ASSERT_TRUE(second) << second.error().text();
  EXPECT_EQ(*second, first);
  EXPECT_TRUE(was_known);
  EXPECT_EQ(pages, 1);
  EXPECT_EQ(world.job(first).items.total, 1);
}

TEST(Jobs, a_submission_that_fails_half_way_has_named_its_job) {
  World world;
  const Program program = one_stage(succeed);
  bool is_first = true;
  const ItemSource source = [&](std::vector<NewItem>& page) -> Result<bool> {
    if (!std::exchange(is_first, false)) return fail(ErrorCode::invalid, "line 2 is not JSON");
    page = items({"a"});
    return true;
  };
  JobId begun;
  const JobOptions options{
      .on_submitted = [&](const Submitted& submitted) { begun = submitted.job.id; }};
  EXPECT_FALSE(world.engine->submit(program.workflow(), source, options));
  EXPECT_TRUE(world.job(begun).submission_open);
  EXPECT_TRUE(world.engine->cancel(begun));
}

}  // namespace
}  // namespace pawl
