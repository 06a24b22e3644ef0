/// What a task waits for, read from the record: each limit that keeps a Ready task from running.

#include "views/why.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pawl/codec/json.hpp"
#include "pawl/codec/workflow.hpp"
#include "pawl/core/step.hpp"
#include "pawl/store/records.hpp"
#include "views/pools.hpp"
#include "views/wait_reason.hpp"
#include "views/workers.hpp"

namespace pawl::views {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Waiting : public testing::Test {
 protected:
  static StageDefinition stage(std::string name, Limits limits = {}) {
    StageDefinition made{.name = std::move(name)};
    made.handler = "h";
    made.limits = std::move(limits);
    return made;
  }

  JobId submit(const StageDefinition& only, std::uint32_t parallel = 0, Budget budget = {}) {
    return submit(std::vector{only}, parallel, budget);
  }
  JobId submit(const std::vector<StageDefinition>& stages, std::uint32_t parallel = 0,
               Budget budget = {}) {
    const Workflow flow = compile({.name = "w", .stages = stages}).value();
    std::vector<NewItem> items;
    for (const char* key : {"a", "b", "c"}) items.push_back({.key = key, .category = "x"});
    const Result<Submitted> done =
        store->submit({.workflow = flow, .budget = budget, .parallel = parallel},
                      {.job = {}, .items = items, .close = true});
    return done.value().job.id;
  }
  WorkerId enlist(WorkerLimits limits = {.parallel = 8}) {
    return store
        ->enlist({.host = "host-a", .name = "pawl work", .lease = 60s, .limits = std::move(limits)})
        .value();
  }
  std::vector<Claimed> claim(WorkerId worker, std::uint32_t max) {
    ClaimRequest request{.worker = worker, .shares = {}, .max = max};
    const std::vector<LaneHead> heads = store->ready_lanes().value();
    for (const LaneHead& head : heads) {
      request.shares.push_back({.job = head.job, .lanes = {{head.lane, head.stage}}, .max = max});
    }
    return store->claim(request).value().opened;
  }
  Address address_of(JobId job, const std::string& key, const std::string& stage = {}) {
    Records& records = store->records();
    const Job row = records.job(job).value();
    Workflow flow = records.workflow(row.workflow_hash).value();
    const std::optional<StageIndex> index = flow.find(stage);
    return {.job = row,
            .workflow = std::move(flow),
            .item = records.item(job, key).value(),
            .stage = index};
  }
  std::vector<Wait> waits_of(const Address& address) {
    return waits_at(store->records(), address,
                    {.now = clock.now(),
                     .time_text = [](Timestamp) { return std::string("then"); },
                     .is_dead = [](WorkerId) { return false; }})
        .value();
  }
  Wait wait_of(JobId job, const std::string& key, const std::string& stage = {}) {
    const std::vector<Wait> waits = waits_of(address_of(job, key, stage));
    EXPECT_THAT(waits, SizeIs(1));
    return waits.empty() ? Wait{} : waits.front();
  }
  /// Closes a claimed attempt, as its worker does.
  void close(WorkerId worker, const Claimed& claimed, Attempt closed,
             std::vector<NewChild> children = {}) {
    const Job job = store->records().job(claimed.task.job).value();
    const Workflow flow = store->records().workflow(job.workflow_hash).value();
    closed.ended_at = clock.now();
    const Step step = pawl::close(flow.stage(claimed.task.stage()), claimed.task, std::move(closed),
                                  std::move(children));
    ASSERT_TRUE(store->commit(worker, ++batch, std::span(&step, 1)));
  }

  BatchNumber batch = 0;
  ManualClock clock;
  std::shared_ptr<Store> store = open_memory_store(clock);
};

TEST_F(Waiting, for_a_worker_where_there_is_none) {
  const JobId job = submit(stage("s"));
  const Wait wait = wait_of(job, "a");
  EXPECT_EQ(wait.kind, "no_worker");
  EXPECT_EQ(wait.text, "a worker: none is running (pawl work)");
}

TEST_F(Waiting, names_a_worker_that_is_lost) {
  const JobId job = submit(stage("s"));
  enlist();
  clock.advance(2min);
  const Wait wait = wait_of(job, "a");
  EXPECT_EQ(wait.kind, "no_worker");
  EXPECT_THAT(wait.text, HasSubstr("worker 1 (pawl work on host-a) is lost"));
}

TEST_F(Waiting, for_another_worker_where_the_one_that_runs_it_is_lost) {
  const JobId job = submit(stage("s"));
  claim(enlist(), 1);
  EXPECT_EQ(wait_of(job, "a").kind, "running");
  clock.advance(2min);
  const Wait wait = wait_of(job, "a");
  EXPECT_EQ(wait.kind, "lost_worker");
  EXPECT_EQ(wait.text,
            "another worker to take over attempt 1: worker 1 (pawl work on host-a) is lost");
}

TEST_F(Waiting, names_the_restrictions_of_the_workers_that_do_not_serve_the_stage) {
  const JobId job = submit(stage("s"));
  enlist({.parallel = 8, .stages = {"other", "third"}});
  enlist({.parallel = 8, .stages = {}, .categories = {"y"}});
  enlist({.parallel = 8,
          .stages = {},
          .categories = {},
          .left = {{.job = job, .stage = "s", .reason = "the secret TOKEN is not set there"}}});
  const Wait wait = wait_of(job, "a");
  EXPECT_EQ(wait.kind, "not_served");
  EXPECT_EQ(wait.text,
            "a worker that runs stage s: worker 1 (pawl work on host-a) takes only the stages "
            "other, third; worker 2 (pawl work on host-a) takes only the categories y; worker 3 "
            "(pawl work on host-a) leaves it to others: the secret TOKEN is not set there");
}

TEST_F(Waiting, for_a_worker_that_works_on_more_than_one_job) {
  const JobId job = submit(stage("s"));
  enlist({.jobs = {JobId{job.value() + 1}}});
  const Wait wait = wait_of(job, "a");
  EXPECT_EQ(wait.kind, "not_served");
  EXPECT_THAT(wait.text, HasSubstr("(pawl work on host-a) works only on job 2"));
}

TEST_F(Waiting, claims_of_no_worker_that_it_serves_a_stage_if_its_list_is_cut) {
  const JobId job = submit(stage("s"));
  const JobId newer = submit(stage("s"));
  enlist({.parallel = 8, .left = {{.job = newer, .stage = "t", .reason = {}}}, .cut_at = job});
  const Wait wait = wait_of(job, "a");
  EXPECT_EQ(wait.kind, "not_served");
  EXPECT_THAT(wait.text, HasSubstr("leaves more to others than it lists, perhaps this, too"));
  EXPECT_EQ(wait_of(newer, "a").kind, "turn") << "of newer jobs everything is listed";
}

TEST_F(Waiting, a_worker_that_leaves_another_job_serves_this_one) {
  const JobId job = submit(stage("s"));
  enlist({.parallel = 8,
          .stages = {},
          .categories = {},
          .left = {{.job = JobId{job.value() + 1}, .stage = {}, .reason = "elsewhere"}}});
  EXPECT_EQ(wait_of(job, "a").kind, "turn");
}

TEST_F(Waiting, for_a_slot_in_a_full_pool_and_names_its_holders) {
  const JobId job = submit(stage("s", {.pool = "gpu", .parallel = 2, .rate = {}}));
  claim(enlist(), 3);
  const Wait wait = wait_of(job, "c");
  EXPECT_EQ(wait.kind, "pool");
  EXPECT_EQ(wait.text, "a slot in pool gpu: 2 of 2 are in use, by a/s (worker 1), b/s (worker 1)");
  const Json document = wait_document(wait);
  EXPECT_EQ(field(document, "limit").integer(), 2);
  EXPECT_EQ(field(document, "pool").string(), "gpu");
}

TEST_F(Waiting, for_the_next_slot_of_a_rate) {
  const JobId job =
      submit(stage("s", {.pool = "api", .parallel = 0, .rate = {.count = 2, .per = 1min}}));
  claim(enlist(), 3);
  clock.advance(20s);
  const Wait wait = wait_of(job, "c");
  EXPECT_EQ(wait.kind, "rate");
  EXPECT_EQ(wait.text, "the rate of pool api (2 per 1m): the next slot is in 40s");
  clock.advance(39s);
  EXPECT_EQ(wait_of(job, "c").kind, "rate");
  clock.advance(1s);
  EXPECT_EQ(wait_of(job, "c").kind, "no_worker") << "the lease has expired too";
}

TEST_F(Waiting, for_a_slot_of_a_job_that_limits_its_parallel_attempts) {
  const JobId job = submit(stage("s"), 1);
  claim(enlist(), 3);
  const Wait wait = wait_of(job, "c");
  EXPECT_EQ(wait.kind, "job_parallel");
  EXPECT_EQ(wait.text, "a slot of job 1: 1 of 1 parallel attempts are running, by a/s (worker 1)");
}

TEST_F(Waiting, for_a_paused_job_to_be_resumed_whoever_works) {
  const JobId job = submit(stage("s"));
  enlist();
  ASSERT_TRUE(store->act(PauseJob{.job = job}));
  const Wait wait = wait_of(job, "a");
  EXPECT_EQ(wait.kind, "paused");
  EXPECT_EQ(wait.text, "job 1 to be resumed: an operator paused it (pawl job resume 1)");
}

TEST_F(Waiting, for_a_larger_budget_before_and_after_the_job_is_paused_for_it) {
  const JobId job = submit(stage("s"), 0, {.max_total_attempts = 1});
  const WorkerId worker = enlist();
  claim(worker, 1);
  const Wait wait = wait_of(job, "c");
  EXPECT_EQ(wait.kind, "budget");
  EXPECT_EQ(wait.text,
            "job 1 to get a larger budget: its attempts are used up (pawl job budget 1)");
  claim(worker, 1);
  EXPECT_EQ(wait_of(job, "c").text,
            "job 1 to be resumed: its budget is used up (pawl job budget 1)");
}

TEST_F(Waiting, for_a_free_slot_of_a_busy_worker) {
  const JobId job = submit(stage("s"));
  claim(enlist({.parallel = 2}), 2);
  const Wait wait = wait_of(job, "c");
  EXPECT_EQ(wait.kind, "worker_slots");
  EXPECT_EQ(wait.text,
            "a free slot of a worker: worker 1 (pawl work on host-a) runs 2 of 2 attempts");
}

TEST_F(Waiting, for_its_turn_where_nothing_else_stands_in_the_way) {
  const JobId job = submit(stage("s"));
  enlist();
  const Wait wait = wait_of(job, "a");
  EXPECT_EQ(wait.kind, "turn");
  EXPECT_EQ(wait.text, "its turn: worker 1 (pawl work on host-a) runs 0 of 8 attempts");
}

TEST_F(Waiting, for_the_end_of_a_rate_limit_and_names_the_stage_that_met_it) {
  const Limits api{.pool = "api", .parallel = 0, .rate = {}};
  const JobId job = submit({stage("first", api), stage("second", api), stage("third")});
  const WorkerId worker = enlist();
  const std::vector<Claimed> opened = claim(worker, 1);
  ASSERT_THAT(opened, SizeIs(1));
  ASSERT_EQ(opened.front().task.stage(), StageIndex{0});
  close(worker, opened.front(),
        {.result = AttemptResult::failure,
         .error = StageError{.error_class = ErrorClass::rate_limited, .retry_after = 1h}});
  const Wait wait = wait_of(job, "a", "second");
  EXPECT_EQ(wait.kind, "rate_limited");
  EXPECT_EQ(wait.text, "a rate limit that stage first met: it ends in 1h");
  EXPECT_EQ(wait_of(job, "a", "third").kind, "turn") << "it is in no pool";
  clock.advance(30s);
  EXPECT_EQ(wait_of(job, "b", "second").text,
            "a rate limit that stage first met: it ends in 59m30s");
}

TEST_F(Waiting, for_each_thing_that_children_wait_for_and_counts_those_that_wait_alike) {
  const JobId job = submit(stage("s"));
  const WorkerId worker = enlist();
  const std::vector<Claimed> parents = claim(worker, 1);
  ASSERT_THAT(parents, SizeIs(1));
  std::vector<NewChild> pages;
  for (const char* key : {"1", "2", "3", "4", "5", "6"}) pages.push_back({.key = key});
  close(worker, parents.front(), {.result = AttemptResult::expanded}, pages);
  const auto open = [&](WorkerId by) {
    for (const Claimed& one : claim(by, 1)) {
      if (one.task.child) return one;
    }
    ADD_FAILURE() << "no child was claimed";
    return Claimed{};
  };
  ASSERT_TRUE(store->act(CancelItem{.item = address_of(job, "b").item->id}));
  ASSERT_TRUE(store->act(CancelItem{.item = address_of(job, "c").item->id}));
  close(worker, open(worker), {.result = AttemptResult::success});
  close(worker, open(worker), {.result = AttemptResult::needs_review});
  close(worker, open(worker), {.result = AttemptResult::needs_review});
  open(worker);
  clock.advance(2min);
  const WorkerId other = enlist({.parallel = 1});
  open(other);

  std::vector<Wait> waits = waits_of(address_of(job, "a"));
  std::vector<std::string> found;
  for (const Wait& wait : waits) found.push_back(wait.child + " " + std::string(wait.kind));
  EXPECT_THAT(found,
              ElementsAre(" children", "2 review", "4 lost_worker", "5 running", "6 worker_slots"));
  EXPECT_THAT(in_words(waits), HasSubstr("5 of its 6 children; child 2 and 1 more: a person: "
                                         "review 1; child 4: another worker to take over"));
  EXPECT_EQ(field(wait_document(waits[1]), "children_alike").integer(), 1);

  Address address = address_of(job, "a", "s");
  address.child = "4";
  waits = waits_of(address);
  ASSERT_THAT(waits, SizeIs(1));
  EXPECT_EQ(waits.front().kind, "lost_worker");
  EXPECT_THAT(in_words(waits), Not(HasSubstr("child 4"))) << "the reader has named it";
  address.child = "1";
  EXPECT_THAT(waits_of(address), IsEmpty());
  address.child = "";
  EXPECT_EQ(in_words(waits_of(address)), "5 of its 6 children");
}

TEST(Waits, name_their_stages_if_there_are_several) {
  const Wait one{.stage = "draw", .kind = "retry", .text = "the next attempt"};
  const Wait other{.stage = "sign", .kind = "review", .text = "a person: review 3"};
  EXPECT_EQ(in_words(std::vector{one}), "the next attempt");
  EXPECT_EQ(in_words(std::vector{one, one}), "the next attempt; the next attempt");
  EXPECT_EQ(in_words(std::vector{one, other}), "draw: the next attempt; sign: a person: review 3");
}

TEST_F(Waiting, pools_show_use_limits_rates_and_holders) {
  submit(stage("s", {.pool = "gpu", .parallel = 2, .rate = {.count = 2, .per = 1min}}));
  claim(enlist(), 3);
  const std::vector<Pool> pools = pools_of(store->records(), clock.now()).value();
  ASSERT_THAT(pools, SizeIs(1));
  EXPECT_EQ(pools[0].name, "gpu");
  EXPECT_EQ(pools[0].open, 2);
  EXPECT_EQ(pools[0].parallel, 2U);
  EXPECT_EQ(pools[0].next_slot, clock.now() + 1min);
  EXPECT_EQ(in_words(pools[0].holders), "a/s (worker 1), b/s (worker 1)");
}

}  // namespace
}  // namespace pawl::views
