/// The engine and a store that does not answer, answers too late, or refuses.

#include <map>

#include <gmock/gmock.h>

#include "sulking_store.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(StoreTrouble, a_claim_whose_answer_was_lost_is_read_back_and_run) {
  auto engine = engine_with();
  std::map<std::string, int> executions;
  WorkflowBuilder build("lost");
  build.stage("a", [&](Context& context, std::stop_token) -> Outcome {
    ++executions[std::string(context.item_key())];
    return Output{};
  });
  const Program program = built(build);
  engine->serve(program);
  const std::vector<NewItem> keys = items({"x", "y"});
  const JobId job =
      store->submit({.workflow = program.workflow()}, {.items = keys, .close = true})->job.id;
  store->sulks = true;
  store->writes_all_the_same = true;
  engine->run_until_idle();
  EXPECT_EQ(store->records().job(job)->attempts_open, 2) << "both were opened, nobody knows";
  EXPECT_TRUE(executions.empty());
  store->sulks = false;
  clock.advance(1s);
  engine->run_until_idle();
  EXPECT_TRUE(store->records().job(job)->has_ended());
  EXPECT_EQ(executions["x"], 1);
  EXPECT_EQ(executions["y"], 1);
}

/// An idle engine opens attempts with its submission. Found by the simulation: they stayed open for
/// ever, because their worker was alive and knew nothing about them.
TEST_F(StoreTrouble, attempts_of_a_submission_whose_answer_was_lost_are_run) {
  auto engine = engine_with();
  WorkflowBuilder build("lost");
  build.stage("a", succeed);
  const Program program = built(build);
  engine->serve(program);
  engine->run_until_idle();
  store->sulks = true;
  store->writes_all_the_same = true;
  EXPECT_FALSE(engine->submit(program.workflow(), items({"x", "y"}), {.key = "k"}));
  store->sulks = false;
  const JobId job = *engine->submit(program.workflow(), items({"x", "y"}), {.key = "k"});
  engine->run_until_idle();
  EXPECT_TRUE(store->records().job(job)->has_ended());
  EXPECT_EQ(store->records().job(job)->attempts_opened, 2);
}

/// Found by the simulation: it was refused because the worker in it did not exist, although it was
/// optional.
TEST_F(StoreTrouble, a_submission_is_taken_from_an_engine_that_has_just_lost_its_lease) {
  auto engine = engine_with({.threads = 0, .lease = 10s});
  WorkflowBuilder build("late");
  build.stage("a", succeed);
  const Program program = built(build);
  engine->serve(program);
  engine->run_until_idle();
  clock.advance(1min);
  ASSERT_TRUE(store->sweep({}));
  const Result<JobId> job = engine->submit(program.workflow(), items({"x"}));
  ASSERT_TRUE(job) << job.error().text();
  engine->run_until_idle();
  EXPECT_TRUE(store->records().job(*job)->has_ended());
}

/// Batches keep their numbers when a worker signs on again, so that a batch that is sent again is
/// never mistaken for another.
TEST_F(StoreTrouble, a_batch_without_an_answer_outlives_the_lease_and_none_is_taken_for_it) {
  auto engine = engine_with({.threads = 0, .lease = 10s});
  int executions = 0;
  WorkflowBuilder build("lost");
  build.stage("a", [&](Context&, std::stop_token) -> Outcome {
    ++executions;
    store->sulks = true;
    return Output{};
  });
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  ASSERT_EQ(executions, 1);
  // Others declare it dead; it signs on again, with the batch still unsent.
  clock.advance(11s);
  ASSERT_EQ(store->sweep({})->interrupted, 1);
  engine->run_until_idle();
  store->sulks = false;
  clock.advance(6s);
  engine->run_until_idle();
  // The batch of the second execution fails in its turn and is not written.
  EXPECT_EQ(executions, 2);
  EXPECT_EQ(store->records().job(job)->attempts_open, 1);
  store->sulks = false;
  clock.advance(6s);
  engine->run_until_idle();
  EXPECT_EQ(executions, 2) << "what was done once is not done again";
  EXPECT_TRUE(store->records().job(job)->has_ended());
}

TEST_F(StoreTrouble, who_could_not_renew_lets_the_others_renew_before_it_sweeps) {
  auto one = engine_with({.threads = 0, .lease = 9s});
  auto other = engine_with({.threads = 0, .lease = 9s});
  store->is_away = true;
  clock.advance(20s);  // every lease has expired
  one->run_until_idle();
  other->run_until_idle();
  store->is_away = false;
  clock.advance(1s);
  one->run_until_idle();
  clock.advance(1s);
  other->run_until_idle();
  const auto workers = *store->records().workers();
  EXPECT_EQ(workers.size(), 2U) << "nobody had to sign on anew";
  for (const WorkerRecord& worker : workers) {
    EXPECT_FALSE(worker.retired);
    EXPECT_GT(worker.lease_until, clock.now());
  }
}

TEST_F(StoreTrouble, a_store_that_is_full_stops_new_work_says_so_and_loses_nothing) {
  auto engine = engine_with();
  int executions = 0;
  WorkflowBuilder build("full");
  build.stage("a", [&](Context&, std::stop_token) -> Outcome {
    if (++executions == 1) store->sulks = true;
    return Output{};
  });
  build.stage("b", succeed).needs("a");
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(5));
  engine->run_until_idle();
  EXPECT_FALSE(engine->status().store_available);
  EXPECT_THAT(engine->status().trouble, HasSubstr("the disk is full"));
  const int executed = executions;
  for (int i = 0; i < 50; ++i) {
    clock.advance(1s);
    engine->run_until_idle();
  }
  EXPECT_EQ(executions, executed) << "nothing new is started";
  EXPECT_GT(store->refused, 5) << "and it tries again by itself";
  store->sulks = false;
  clock.advance(6s);
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_EQ(executions, 5) << "nothing ran twice";
  EXPECT_TRUE(engine->status().store_available);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

// A full or failing disk used up the attempts of stages with a long output.
TEST_F(StoreTrouble, an_output_that_found_no_room_waits_for_it_and_costs_no_attempt) {
  auto patient = std::make_shared<Sulking>(open_memory_store(system_clock()));
  patient->payloads_to_refuse = 2;
  WorkflowBuilder build("long");
  build.stage("a", [](Context&, std::stop_token) -> Outcome {
    return Output{.json = Json(std::string(100'000, 'x'))};
  });
  const Program program = built(build);
  auto engine = std::move(*Engine::create(patient, {.threads = 2}));
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(1));
  ASSERT_TRUE(engine->wait(job));
  EXPECT_EQ(state_of(*patient->records().job(job)), JobState::completed);
  EXPECT_EQ(patient->records().job(job)->attempts_opened, 1);
  EXPECT_EQ(patient->payloads_to_refuse, 0);
  EXPECT_TRUE(engine->status().store_available);
}

// Unknown outcome of a commit: the batch number decides
TEST_F(StoreTrouble, a_batch_that_was_written_although_its_answer_was_lost_is_not_written_twice) {
  auto engine = engine_with();
  std::vector<std::string> ran;
  WorkflowBuilder build("lost_answer");
  build.stage("a", [&](Context& context, std::stop_token) -> Outcome {
    ran.push_back("a " + context.item_key());
    store->sulks = store->writes_all_the_same = true;
    return Output{};
  });
  build
      .stage("b",
             [&](Context& context, std::stop_token) -> Outcome {
               ran.push_back("b " + context.item_key());
               return Output{};
             })
      .needs("a");
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  store->sulks = false;
  clock.advance(1s);
  engine->run_until_idle();
  EXPECT_THAT(ran, ElementsAre("a x", "b x"));
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

// Its result was considered recorded, and the attempt stayed open for ever.
TEST_F(StoreTrouble, a_step_that_a_written_batch_did_not_apply_is_decided_again) {
  auto engine = engine_with();
  WorkflowBuilder build("lost_answer");
  build.stage("a", [&](Context& context, std::stop_token) -> Outcome {
    // An operator changes the job before the result is committed, and the answer to that is lost.
    (void)store->act(PauseJob{.job = context.job()});
    store->sulks = store->writes_all_the_same = true;
    return Output{.json = Json("done")};
  });
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  store->sulks = false;
  for (int i = 0; i < 5; ++i) {
    clock.advance(1s);
    engine->run_until_idle();
  }
  EXPECT_EQ(store->records().job(job)->attempts_open, 0);
  EXPECT_EQ(store->records().job(job)->attempts_opened, 1) << "what was done is not done again";
  EXPECT_EQ(store->records().job(job)->items.succeeded, 1);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

// If it were sent again it would be fenced, and what it opened the first time would stay open for
// ever.
TEST_F(StoreTrouble, a_batch_is_not_sent_again_while_nobody_tells_whether_it_was_written) {
  auto engine = engine_with();
  WorkflowBuilder build("lost_answer");
  build.stage("a", [&](Context&, std::stop_token) -> Outcome {
    store->sulks = store->writes_all_the_same = true;
    return Output{};
  });
  build.stage("b", succeed).needs("a");
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  engine->run_until_idle();
  store->sulks = false;
  store->reads.hides_workers = true;
  const int commits = store->commits;
  for (int i = 0; i < 3; ++i) {
    clock.advance(5s);
    engine->run_until_idle();
  }
  EXPECT_EQ(store->commits, commits);
  EXPECT_FALSE(engine->status().store_available);
  store->reads.hides_workers = false;
  clock.advance(5s);
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_EQ(store->records().job(job)->attempts_opened, 2);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

// A batch with one bad step is replayed in halves: the others are applied, the bad one is reported
TEST_F(StoreTrouble, one_bad_step_does_not_hold_up_the_batch_it_came_with) {
  auto engine = engine_with();
  const Program program = plain();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(8));
  store->bad_item = store->records().item(job, "item-3")->id;
  engine->run_until_idle();
  EXPECT_EQ(store->records().job(job)->items.succeeded, 7);
  EXPECT_GT(store->refused, 1) << "first the batch, then the halves that hold it";
  EXPECT_TRUE(store->records().job(job)->has_ended());
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

// I17. Such a result was dropped, and its job never ended.
TEST_F(StoreTrouble, a_result_that_is_refused_for_good_is_recorded_as_a_failure_that_says_so) {
  auto engine = engine_with();
  const Program program = plain();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  const Item item = *store->records().item(job, "x");
  store->bad_item = item.id;
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::failed);
  const std::vector<Attempt> attempts =
      *store->records().attempts(task_id(item.id, static_cast<StageIndex>(0)));
  ASSERT_EQ(attempts.size(), 1U);
  EXPECT_EQ(attempts[0].result, AttemptResult::failure);
  ASSERT_TRUE(attempts[0].error);
  EXPECT_EQ(attempts[0].error->code, "refused_by_store");
  EXPECT_EQ(attempts[0].error->message, "the store refused the result: invalid byte sequence: ??");
  EXPECT_TRUE(attempts[0].output.is_null());
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

TEST_F(StoreTrouble, a_skip_that_is_refused_for_good_becomes_a_failed_attempt) {
  auto engine = engine_with();
  WorkflowBuilder build("skipped");
  build.stage("work", succeed).when([](Context&) { return false; });
  const Program program = built(build);
  engine->serve(program);
  engine->run_until_idle();
  const std::vector<NewItem> one = items({"x"});
  const JobId job =
      store->submit({.workflow = program.workflow()}, {.items = one, .close = true})->job.id;
  store->refuses_skips = true;
  clock.advance(1s);
  engine->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::failed);
  EXPECT_FALSE(engine->status().fault);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

TEST_F(StoreTrouble, a_store_that_refuses_even_the_failure_ends_the_engine_which_says_why) {
  auto engine = engine_with();
  const Program program = plain();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), items({"x"}));
  store->bad_item = store->records().item(job, "x")->id;
  store->refuses_substitutes = true;
  const Result<Job> ended = engine->wait(job);
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("invalid byte sequence"));
  ASSERT_TRUE(engine->status().fault);
  EXPECT_THAT(engine->status().trouble, HasSubstr("the store refuses to record a step"));
  // It has signed off, so the attempt is recovered like any other.
  store->bad_item = ItemId{};
  auto next = engine_with();
  next->serve(program);
  next->run_until_idle();
  EXPECT_EQ(state_of(*store->records().job(job)), JobState::completed);
  EXPECT_TRUE(verify(store->records(), {})->violations.empty());
}

TEST_F(StoreTrouble, no_half_of_a_refused_batch_is_forgotten_while_the_store_does_not_answer) {
  auto engine = engine_with();
  const Program program = plain();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(8));
  store->bad_item = store->records().item(job, "item-3")->id;
  store->to_miss = 2;
  for (int i = 0; i < 20; ++i) {
    engine->run_until_idle();
    clock.advance(1s);
  }
  EXPECT_EQ(store->to_miss, 0);
  EXPECT_EQ(store->records().job(job)->items.succeeded, 7);
  EXPECT_TRUE(engine->status().store_available);
}

// Every write to a damaged store may make it worse.
TEST_F(StoreTrouble, a_damaged_store_ends_the_engine_which_says_why) {
  auto engine = engine_with();
  WorkflowBuilder build("damaged");
  build.stage("work", [&](Context&, std::stop_token) -> Outcome {
    store->is_damaged = true;
    return Output{};
  });
  const Program program = built(build);
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(3));
  const Result<Job> ended = engine->wait(job);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::corrupt);
  EXPECT_THAT(ended.error().message, HasSubstr("malformed"));
  const int commits = store->commits;
  clock.advance(1h);
  engine->run_until_idle();
  EXPECT_EQ(store->commits, commits);
  ASSERT_TRUE(engine->status().fault);
  EXPECT_EQ(engine->status().open_attempts, 0);
  engine->stop();
}

}  // namespace
}  // namespace pawl
