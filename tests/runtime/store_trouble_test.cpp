/// The engine and a store that does not answer, answers too late, or refuses.

#include <algorithm>
#include <atomic>
#include <map>

#include <gmock/gmock.h>

#include "contract/records_decorator.hpp"
#include "store/forwarding_store.hpp"
#include "world.hpp"

namespace pawl {
namespace {

using namespace testing_world;
using testing::ElementsAre;
using testing::HasSubstr;

/// A store that refuses to commit while it is told to.
class Sulking final : public ForwardingStore {
 public:
  explicit Sulking(std::shared_ptr<Store> store)
      : ForwardingStore(std::move(store)), reads(inner().records()) {}
  Records& records() override { return reads; }

  driving::RecordsDecorator reads;
  int commits = 0;
  int to_miss = 0;  ///< so many commits are not carried out, once one was refused
  bool sulks = false;
  bool is_damaged = false;
  bool is_away = false;              ///< answers neither renewals nor sweeps
  bool writes_all_the_same = false;  ///< the answer is lost, the batch is not
  int refused = 0;
  std::atomic<int> payloads_to_refuse = 0;
  ItemId bad_item;  ///< no batch with a step of this item is taken

  Status renew(WorkerId worker) override {
    if (is_away) return fail(ErrorCode::unavailable, "nobody answers");
    return inner().renew(worker);
  }
  Result<Submitted> submit(const NewJob& job, const AddItems& items) override {
    if (sulks && writes_all_the_same) (void)inner().submit(job, items);
    if (sulks) return fail(ErrorCode::unavailable, "the disk is full");
    return inner().submit(job, items);
  }
  Result<Claims> claim(const ClaimRequest& request) override {
    if (sulks && writes_all_the_same) (void)inner().claim(request);
    if (sulks) return fail(ErrorCode::unavailable, "the disk is full");
    return inner().claim(request);
  }
  Result<Committed> commit(WorkerId worker, BatchNumber batch, std::span<const Step> steps,
                           const Refill& refill) override {
    ++commits;
    if (is_damaged) return fail(ErrorCode::corrupt, "the database disk image is malformed");
    if (sulks) {
      ++refused;
      if (writes_all_the_same) (void)inner().commit(worker, batch, steps, refill);
      return fail(ErrorCode::unavailable, "the disk is full");
    }
    const bool has_bad_one = bad_item && std::ranges::any_of(steps, [&](const Step& step) {
                               return step.next.item == bad_item;
                             });
    if (refused > 0 && to_miss > 0) {
      --to_miss;
      return fail(ErrorCode::unavailable, "nobody answers");
    }
    if (has_bad_one) {
      ++refused;
      return fail(ErrorCode::invalid, "a CHECK was broken");
    }
    return inner().commit(worker, batch, steps, refill);
  }
  Result<Swept> sweep(const SweepRequest& request) override {
    if (is_away) return fail(ErrorCode::unavailable, "nobody answers");
    return inner().sweep(request);
  }
  Result<std::string> keep_payload(std::string_view bytes) override {
    if (payloads_to_refuse > 0) {
      --payloads_to_refuse;
      return fail(ErrorCode::unavailable, "the disk is full");
    }
    return inner().keep_payload(bytes);
  }
};

class StoreTrouble : public testing::Test {
 protected:
  std::unique_ptr<Engine> engine_with(EngineOptions options = {.threads = 0}) {
    return std::move(*Engine::create(store, std::move(options), clock));
  }
  /// One stage that always succeeds.
  static Program plain() {
    WorkflowBuilder build("plain");
    build.stage("work", succeed);
    return built(build);
  }

  ManualClock clock;
  std::shared_ptr<Sulking> store = std::make_shared<Sulking>(open_memory_store(clock));
};

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

/// An idle engine opens attempts with its submission. Found by the simulation: they were open for
/// ever, since their worker lived and knew nothing of them.
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

/// Found by the simulation: it was refused for want of a worker that nobody had asked for.
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

/// Batches keep their numbers when a worker has to sign on anew: one that is sent again is never
/// taken for another.
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
  // Others take it for dead; it signs on anew, with the batch still in its hands.
  clock.advance(11s);
  ASSERT_EQ(store->sweep({})->interrupted, 1);
  engine->run_until_idle();
  store->sulks = false;
  clock.advance(6s);
  engine->run_until_idle();
  // The second execution's batch fails, unwritten, in its turn.
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
  clock.advance(20s);  // every lease has run out
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

// Trap 33
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

// A full or failing disk used up the attempts of whoever brought a long
// output.
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

// Unknown outcome of a commit: the batch number tells
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

// Sent again it would be fenced, and what it opened the first time would stay open for ever.
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

// A batch with one bad step is replayed in halves: the others land, the bad one is told
TEST_F(StoreTrouble, one_bad_step_does_not_hold_up_the_batch_it_came_with) {
  auto engine = engine_with();
  const Program program = plain();
  engine->serve(program);
  const JobId job = *engine->submit(program.workflow(), numbered(8));
  store->bad_item = store->records().item(job, "item-3")->id;
  engine->run_until_idle();
  EXPECT_EQ(store->records().job(job)->items.succeeded, 7);
  EXPECT_GT(store->refused, 1) << "first the batch, then the halves that hold it";
  EXPECT_THAT(engine->status().trouble, HasSubstr("a CHECK was broken"));
  // Nobody closed its attempt; when this engine is gone it is taken back like any other.
  store->bad_item = ItemId{};
  engine->stop();
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

// Whatever is written to a damaged store may make it worse.
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
  ASSERT_TRUE(engine->status().damage);
  EXPECT_EQ(engine->status().open_attempts, 0);
  engine->stop();
}

}  // namespace
}  // namespace pawl
