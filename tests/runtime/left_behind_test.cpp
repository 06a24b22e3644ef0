/// What attempts leave behind if they do not succeed: logs and costs are recorded, whatever the
/// result.

#include <gmock/gmock.h>

#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;

const std::vector<ArtifactRecord> logs{{.kind = ArtifactKind::standard_error,
                                        .name = "stderr",
                                        .reference = "logs/stderr.txt",
                                        .sha256 = {},
                                        .size = 3,
                                        .summary = {}}};
constexpr Usage spent{.cost_microusd = 120, .tokens = 7};

Failure failure(StageError error) {
  return {.error = std::move(error), .artifacts = logs, .usage = spent};
}

TEST(LeftBehind, a_failure_keeps_its_artifacts_and_its_usage) {
  World world;
  WorkflowBuilder build("broken");
  build.stage("work", [](Context&, std::stop_token) -> Outcome {
    return failure(final_error("no such model", "404"));
  });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const Attempt attempt = world.attempts(job, "a", "work").at(0);
  EXPECT_EQ(attempt.result, AttemptResult::failure);
  EXPECT_EQ(attempt.error->message, "no such model");
  EXPECT_EQ(attempt.summary, "Error: no such model");
  EXPECT_EQ(attempt.artifacts, logs);
  EXPECT_EQ(attempt.usage, spent);
  EXPECT_EQ(world.job(job).used, spent);
}

TEST(LeftBehind, a_blocked_stage_keeps_them_too) {
  World world;
  WorkflowBuilder build("stuck");
  build.stage("work",
              [](Context&, std::stop_token) -> Outcome { return failure(blocked("no password")); });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::awaiting_review);
  EXPECT_EQ(world.attempts(job, "a", "work").at(0).usage, spent);
}

TEST(LeftBehind, an_attempt_that_took_too_long_keeps_what_it_brought) {
  World world;
  WorkflowBuilder build("slow");
  build
      .stage("work",
             [&](Context&, std::stop_token) -> Outcome {
               world.clock.advance(2s);
               return failure(retryable("killed by signal 15"));
             })
      .retry({.attempt_timeout = 1s});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const Attempt attempt = world.attempts(job, "a", "work").at(0);
  EXPECT_EQ(attempt.result, AttemptResult::timed_out);
  EXPECT_EQ(attempt.error->code, "stage_timeout");
  EXPECT_EQ(attempt.summary, "Attempt timed out");
  EXPECT_EQ(attempt.artifacts, logs);
  EXPECT_EQ(attempt.usage, spent);
  EXPECT_EQ(world.job(job).used, spent);
}

TEST(LeftBehind, an_attempt_that_is_given_back_keeps_what_it_brought) {
  World world;
  std::shared_ptr<AsyncAttempt> open;
  WorkflowBuilder build("parked");
  build.async_stage("work", [&](std::shared_ptr<AsyncAttempt> attempt) {
    std::stop_callback stops(attempt->stop_token(), [] {});
    open = std::move(attempt);
  });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  ASSERT_TRUE(open);
  // The stage obeys a stop request.
  const std::stop_callback gives_way(open->stop_token(),
                                     [&] { open->complete(failure(retryable("stopped"))); });
  world.engine->stop();
  const Attempt attempt = world.attempts(job, "a", "work").at(0);
  EXPECT_EQ(attempt.result, AttemptResult::interrupted);
  EXPECT_TRUE(attempt.graceful);
  EXPECT_EQ(attempt.error, std::nullopt);
  EXPECT_EQ(attempt.artifacts, logs);
  EXPECT_EQ(attempt.usage, spent);
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::ready);
  EXPECT_EQ(world.task(job, "a", "work").counts.failures, 0u);
  EXPECT_EQ(world.job(job).used, spent);
  world.expect_sound();
}

GateFunction costs(Judgement said, Usage usage) {
  said.usage = usage;
  return [said](const GateContext&, std::stop_token) { return said; };
}

TEST(LeftBehind, what_judging_costs_is_added_to_the_attempt) {
  World world;
  WorkflowBuilder build("judged");
  build
      .stage("work",
             [](Context&, std::stop_token) -> Outcome {
               return Output{.json = 1, .usage = {.cost_microusd = 100, .tokens = 10}};
             })
      .gate("accepts", costs(accepted(), {.cost_microusd = 1, .tokens = 1}))
      .gate("doubts", costs(uncertain("hm"), {.cost_microusd = 2, .tokens = 1}),
            {.name = "doubts", .on_uncertain = OnUncertain::accept})
      .gate("advises", costs(rejected({.summary = "meh"}), {.cost_microusd = 4, .tokens = 1}),
            {.name = "advises", .advisory = true})
      .gate("both", all_of({costs(accepted(), {.cost_microusd = 8, .tokens = 1}),
                            costs(accepted(), {.cost_microusd = 16, .tokens = 1})}))
      .gate("either", any_of({costs(rejected({.summary = "no"}), {.cost_microusd = 32}),
                              costs(accepted(), {.cost_microusd = 64})}));
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.kind(job, "a", "work"), StateKind::succeeded);
  const Usage expected{.cost_microusd = 227, .tokens = 15};
  EXPECT_EQ(world.attempts(job, "a", "work").at(0).usage, expected);
  EXPECT_EQ(world.job(job).used, expected);
}

TEST(LeftBehind, judging_costs_also_where_a_later_gate_rejects_throws_or_takes_too_long) {
  World world;
  int asked = 0;
  WorkflowBuilder build("judged");
  build.stage("work", succeed)
      .gate("first", costs(accepted(), {.cost_microusd = 5}))
      .gate("second",
            [&](const GateContext&, std::stop_token) -> Judgement {
              Judgement said = rejected({.summary = "again"});
              said.usage.cost_microusd = 7;
              if (++asked == 2) throw std::runtime_error("no judge today");
              if (asked == 3) world.clock.advance(2s);
              return said;
            })
      .retry({.max_attempts = 3, .gate_timeout = 1s});
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const auto attempts = world.attempts(job, "a", "work");
  ASSERT_EQ(attempts.size(), 3u);
  EXPECT_EQ(attempts[0].verdict, Verdict::rejected);
  EXPECT_EQ(attempts[0].usage.cost_microusd, 12);
  EXPECT_EQ(attempts[1].error->kind, ErrorKind::gate);
  EXPECT_EQ(attempts[1].usage.cost_microusd, 5);
  EXPECT_EQ(attempts[2].result, AttemptResult::timed_out);
  EXPECT_EQ(attempts[2].usage.cost_microusd, 12);
}

TEST(GateTimeouts, each_gate_has_its_own_or_the_stages) {
  World world;
  Duration first_takes{0};
  Duration second_takes{0};
  const auto takes = [&](const Duration& time) -> GateFunction {
    return [&](const GateContext&, std::stop_token) {
      world.clock.advance(time);
      return accepted();
    };
  };
  WorkflowBuilder build("gated");
  build.stage("work", succeed)
      .gate("long", takes(first_takes), {.name = "long", .timeout = 10s})
      .gate("usual", takes(second_takes))
      .retry({.gate_timeout = 1s});
  const Program program = built(build);
  const auto error_after = [&](Duration first, Duration second) {
    first_takes = first;
    second_takes = second;
    const JobId job = world.submit(program, items({"a"}));
    world.run();
    const Attempt attempt = world.attempts(job, "a", "work").at(0);
    return attempt.error ? attempt.error->message + "; " + attempt.feedback->summary : "";
  };
  EXPECT_EQ(error_after(10s - 1us, 1s - 1us), "");
  EXPECT_EQ(error_after(10s, 0s),
            "gate 'long' timed out after 10000ms; gate 'long' timed out after 10000ms");
  EXPECT_EQ(error_after(5s, 1s),
            "gate 'usual' timed out after 1000ms; gate 'usual' timed out after 1000ms");
  world.expect_sound();
}

// The timer of the first gate must not end the second, which has no timeout.
TEST(GateTimeouts, one_with_a_timeout_before_one_without) {
  auto store = open_memory_store(system_clock());
  auto engine = std::move(*Engine::create(store, {.threads = 2}));
  WorkflowBuilder build("gated");
  build.stage("work", succeed)
      .gate("quick", [](const GateContext&, std::stop_token) { return accepted(); },
            {.name = "quick", .timeout = 30ms})
      .gate("patient", [](const GateContext&, std::stop_token stop) {
        const auto end = std::chrono::steady_clock::now() + 120ms;
        while (std::chrono::steady_clock::now() < end && !stop.stop_requested()) {
          std::this_thread::sleep_for(1ms);  // waits: for a timer that must not fire
        }
        return stop.stop_requested() ? rejected({.summary = "was stopped"}) : accepted();
      });
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), items({"a"}));
  EXPECT_EQ(state_of(*engine->wait(job)), JobState::completed);
  engine->stop();
}

// A gate that hangs and ignores its stop token is named, with its own limit.
TEST(GateTimeouts, a_gate_that_hangs_is_abandoned_by_its_own_timeout) {
  std::atomic<bool> release = false;
  auto store = open_memory_store(system_clock());
  auto engine = std::move(*Engine::create(store, {.threads = 2, .grace = 10ms}));
  WorkflowBuilder build("gated");
  build.stage("work", succeed)
      .gate("fine", [](const GateContext&, std::stop_token) { return accepted(); })
      .gate("hangs",
            [&](const GateContext&, std::stop_token) {
              release.wait(false);
              return accepted();
            },
            {.name = "hangs", .timeout = 20ms});
  const Program program = built(build);
  engine->serve(program);
  engine->start();
  const JobId job = *engine->submit(program.workflow(), items({"a"}));
  EXPECT_EQ(state_of(*engine->wait(job)), JobState::failed);
  const Item item = *store->records().item(job, "a");
  const Attempt attempt = store->records().attempts(task_id(item.id, StageIndex{}))->at(0);
  EXPECT_EQ(attempt.result, AttemptResult::timed_out);
  EXPECT_EQ(attempt.error->message, "gate 'hangs' timed out after 20ms");
  release = true;
  release.notify_all();
  engine->stop();
}

TEST(LeftBehind, alternatives_and_the_action_are_recorded_and_given_to_the_decider) {
  World world;
  WorkflowBuilder build("choice");
  std::vector<Json> seen;
  build
      .stage("work",
             [](Context& context, std::stop_token) -> Outcome {
               context.set_action(Json::object({{"url", "https://example.org"}}));
               if (context.attempt() == 1) {
                 return Failure{.error = retryable("busy"), .alternatives = {Json("wait")}};
               }
               return Output{.json = Json("a"), .alternatives = {Json("b"), Json(3)}};
             })
      .retry({.max_attempts = 2})
      .decider("mine", [&](const StageDefinition&, const Attempt& attempt) -> Advice {
        seen = attempt.alternatives;
        return Retry{};
      });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const std::vector<Attempt> attempts = world.attempts(job, "a", "work");
  EXPECT_EQ(attempts.at(0).alternatives, std::vector{Json("wait")});
  EXPECT_EQ(attempts.at(1).alternatives, (std::vector{Json("b"), Json(3)}));
  EXPECT_EQ(attempts.at(1).action, Json::object({{"url", "https://example.org"}}));
  EXPECT_EQ(seen, std::vector{Json("wait")}) << "only attempts that fail are put to the decider";
}

TEST(LeftBehind, a_skip_keeps_its_alternatives_artifacts_and_usage) {
  World world;
  WorkflowBuilder build("choice");
  build.stage("work", [](Context&, std::stop_token) -> Outcome {
    return Skip{
        .why = "nothing to do",
        .artifacts = {{.kind = ArtifactKind::url, .name = "page", .reference = "https://a"}},
        .usage = {.tokens = 7},
        .alternatives = {Json("b"), Json(3)}};
  });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const Attempt attempt = world.attempts(job, "a", "work").at(0);
  EXPECT_EQ(attempt.result, AttemptResult::skipped);
  EXPECT_EQ(attempt.alternatives, (std::vector{Json("b"), Json(3)}));
  ASSERT_EQ(attempt.artifacts.size(), 1U);
  EXPECT_EQ(attempt.artifacts.front().name, "page");
  EXPECT_EQ(attempt.usage.tokens, 7);
}

/// A JSON text of exactly this many bytes.
Json text_of(std::size_t bytes) { return Json(std::string(bytes - 2, 'x')); }

TEST(LeftBehind, an_action_of_more_than_8_KiB_is_not_recorded_and_the_work_counts) {
  World world;
  WorkflowBuilder build("long");
  build.stage("work", [](Context& context, std::stop_token) -> Outcome {
    context.set_action(text_of(context.item_key() == "fits" ? 8'192 : 8'193));
    return Output{.json = Json("done")};
  });
  const JobId job = world.submit(built(build), items({"fits", "too long"}));
  world.run();
  const Attempt fits = world.attempts(job, "fits", "work").at(0);
  EXPECT_EQ(fits.result, AttemptResult::success);
  EXPECT_EQ(fits.action, text_of(8'192));
  const Attempt too_long = world.attempts(job, "too long", "work").at(0);
  EXPECT_EQ(too_long.result, AttemptResult::success);
  EXPECT_TRUE(too_long.action.is_null());
}

TEST(LeftBehind, the_last_action_of_an_attempt_is_recorded) {
  World world;
  WorkflowBuilder build("twice");
  build.stage("work", [](Context& context, std::stop_token) -> Outcome {
    context.set_action(text_of(10'000));
    context.set_action(Json("short"));
    return Output{.json = Json("done")};
  });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  EXPECT_EQ(world.attempts(job, "a", "work").at(0).action, Json("short"));
}

TEST(LeftBehind, alternatives_that_are_too_long_leave_a_note_and_the_work_counts) {
  World world;
  WorkflowBuilder build("long");
  build.stage("work", [](Context&, std::stop_token) -> Outcome {
    return Output{.json = Json("a"), .alternatives = {Json(std::string(70'000, 'x'))}};
  });
  const JobId job = world.submit(built(build), items({"a"}));
  world.run();
  const Attempt attempt = world.attempts(job, "a", "work").at(0);
  EXPECT_EQ(attempt.result, AttemptResult::success);
  EXPECT_TRUE(attempt.alternatives.empty());
  ASSERT_EQ(attempt.artifacts.size(), 1U);
  EXPECT_EQ(attempt.artifacts.front().name, "alternatives that are too long to record");
}

}  // namespace
}  // namespace pawl
