/// Submission and claims.

#include <set>

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Submission = Contract;
using Claiming = Contract;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, Submission, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Claiming, kinds, name_of_kind);

std::vector<NewItem> items_of(const std::vector<std::string>& keys) {
  std::vector<NewItem> made;
  for (const std::string& key : keys) made.push_back({.key = key, .data = Json(key)});
  return made;
}
std::vector<std::string> keys_of(const std::vector<Claimed>& claimed) {
  std::vector<std::string> keys;
  for (const Claimed& one : claimed) keys.push_back(one.item_key);
  return keys;
}

TEST_P(Submission, a_second_one_with_the_same_key_is_the_first) {
  const Workflow scan = workflow("scan", {stage("scan")});
  const std::vector<NewItem> items = items_of({"a", "b"});
  const NewJob fresh{.workflow = scan, .key = "monday"};
  const Submitted one = *drive.store().submit(fresh, {.items = items, .close = true});
  const Submitted two = *drive.store().submit(fresh, {.items = items, .close = true});
  EXPECT_FALSE(one.was_known);
  EXPECT_TRUE(two.was_known);
  EXPECT_EQ(two.job.id, one.job.id);
  EXPECT_EQ(two.items.added, 0);
  EXPECT_EQ(two.job.items.total, 2);
  EXPECT_EQ(drive.store().create_job(fresh)->id, one.job.id);
  EXPECT_THAT(*drive.records().jobs({}), SizeIs(1));

  const NewJob of_another{.workflow = workflow("other", {stage("scan")}), .key = "monday"};
  EXPECT_NE(drive.store().create_job(of_another)->id, one.job.id);
}

TEST_P(Submission, comes_in_chunks_and_is_closed_by_the_last) {
  const JobId job = drive.store().create_job({.workflow = workflow("w", {stage("a")})})->id;
  const std::vector<NewItem> front = items_of({"a", "b"});
  const std::vector<NewItem> back = items_of({"c"});
  EXPECT_EQ(drive.store().add_items({.job = job, .items = front})->added, 2);
  drive.work(always(succeeded()));
  EXPECT_FALSE(drive.job(job).has_ended()) << "more may come";
  EXPECT_EQ(drive.store().add_items({.job = job, .items = back, .close = true})->added, 1);
  EXPECT_FALSE(drive.job(job).submission_open);

  const Result<Added> late = drive.store().add_items({.job = job, .items = back});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::refused);
  EXPECT_EQ(late.error().message, "the submission of job 1 is closed");
  EXPECT_EQ(drive.store().add_items({.job = JobId{9}, .items = back}).error().code,
            ErrorCode::not_found);
  drive.work(always(succeeded()));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Submission, with_an_empty_key_among_its_items_adds_nothing) {
  const std::vector<NewItem> items = items_of({"a", ""});
  const Result<Submitted> refused =
      drive.store().submit({.workflow = workflow("w", {stage("a")})}, {.items = items});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::invalid);
  EXPECT_THAT(*drive.records().jobs({}), IsEmpty());
}

TEST_P(Submission, equal_keys_are_different_items_also_across_chunks) {
  const JobId job = drive.store().create_job({.workflow = workflow("w", {stage("a")})})->id;
  const std::vector<NewItem> front = items_of({"a", "a"});
  const std::vector<NewItem> back = items_of({"b", "a"});
  ASSERT_TRUE(drive.store().add_items({.job = job, .items = front}));
  ASSERT_TRUE(drive.store().add_items({.job = job, .items = back, .close = true}));
  std::vector<std::string> keys;
  const std::vector<Item> stored = *drive.records().items({.job = job});
  for (const Item& item : stored) keys.push_back(item.key);
  EXPECT_THAT(keys, ElementsAre("a", "a#2", "b", "a#3"));
}

TEST_P(Submission, a_second_pass_over_a_reordered_source_neither_loses_nor_doubles) {
  const JobId job = drive.store().create_job({.workflow = workflow("w", {stage("a")})})->id;
  const std::vector<NewItem> cut_off = items_of({"a", "a", "b"});
  ASSERT_TRUE(drive.store().add_items({.job = job, .items = cut_off}));

  ASSERT_TRUE(drive.act(ReopenSubmission{job}));
  const std::vector<NewItem> some = items_of({"b", "a"});
  const std::vector<NewItem> rest = items_of({"c", "a", "a"});
  const Added one = *drive.store().add_items({.job = job, .items = some});
  EXPECT_EQ(one.present, 2);
  EXPECT_EQ(one.added, 0);
  const Added two = *drive.store().add_items({.job = job, .items = rest, .close = true});
  EXPECT_EQ(two.present, 1) << "a#2";
  EXPECT_EQ(two.added, 2) << "c and a#3";
  EXPECT_EQ(drive.job(job).items.total, 5);
  EXPECT_EQ(drive.work(always(succeeded())), 5);
  expect_error(drive.act(ReopenSubmission{job}), ErrorCode::refused, "job 1 has already ended");
}

TEST_P(Submission, opens_the_oldest_at_once_for_a_worker) {
  const std::vector<NewItem> items = items_of({"a", "b", "c", "d", "e"});
  const Submitted done = *drive.store().submit(
      {.workflow = workflow("w", {stage("a")})},
      {.items = items, .close = true, .open_for = drive.worker(), .open_max = 3});
  EXPECT_THAT(keys_of(done.items.opened), ElementsAre("a", "b", "c"));
  EXPECT_EQ(done.items.opened[0].data, Json("a"));
  EXPECT_EQ(done.job.attempts_open, 3);
  EXPECT_EQ(drive.task(done.job.id, "c").kind(), StateKind::running);
  EXPECT_EQ(drive.task(done.job.id, "d").kind(), StateKind::ready);
  for (const Claimed& one : done.items.opened) {
    EXPECT_EQ(drive.close(one, succeeded()), StepOutcome::applied);
  }
}

TEST_P(Submission, opens_no_more_than_the_limits_of_job_pool_and_budget_allow) {
  const std::vector<NewItem> items = items_of({"a", "b", "c", "d", "e"});
  const AddItems all{.items = items, .close = true, .open_for = drive.worker(), .open_max = 10};
  const Workflow plain = workflow("plain", {stage("a")});
  StageDefinition limited = stage("a");
  limited.limits = {.pool = "api", .parallel = 1};

  const Submitted two = *drive.store().submit({.workflow = plain, .parallel = 2}, all);
  EXPECT_THAT(two.items.opened, SizeIs(2));
  const Submitted one = *drive.store().submit({.workflow = workflow("pool", {limited})}, all);
  EXPECT_THAT(one.items.opened, SizeIs(1));
  const Submitted four =
      *drive.store().submit({.workflow = plain, .budget = {.max_total_attempts = 4}}, all);
  EXPECT_THAT(four.items.opened, SizeIs(4));
  EXPECT_EQ(drive.job(four.job.id).paused, PauseCause::budget);
}

TEST_P(Submission, without_items_ends_at_once_and_says_so) {
  const Submitted done =
      *drive.store().submit({.workflow = workflow("w", {stage("a")})}, {.close = true});
  EXPECT_TRUE(done.job.has_ended());
  EXPECT_EQ(state_of(done.job), JobState::completed);
}

TEST_P(Claiming, takes_the_oldest_item_first_whatever_its_stage_and_cause) {
  StageDefinition fetch = with_attempts(stage("fetch"), 3);
  const JobId job = drive.submit(workflow("w", {fetch, stage("store", {"fetch"})}),
                                 {"one", "two", "three", "four"});
  const std::vector<Claimed> some = drive.claim(3);
  EXPECT_THAT(keys_of(some), ElementsAre("one", "two", "three"));
  drive.close(some[2], succeeded());     // "three" is at its second stage
  drive.close(some[0], failed("busy"));  // "one" is retried at once
  EXPECT_EQ(drive.task(job, "one").kind(), StateKind::ready);
  EXPECT_THAT(keys_of(drive.claim()), ElementsAre("one", "three", "four"));
}

TEST_P(Claiming, tells_each_lane_with_the_age_of_its_oldest) {
  NewJob about{.workflow = workflow("w", {stage("a"), stage("b", {"a"})}), .priority = 5};
  const JobId job = drive.store().create_job(about)->id;
  const std::vector<NewItem> items{{.key = "x", .category = "red"},
                                   {.key = "y", .category = "blue"},
                                   {.key = "z", .category = "red"}};
  ASSERT_TRUE(drive.store().add_items({.job = job, .items = items, .close = true}));
  const std::vector<LaneHead> heads = *drive.store().ready_lanes();
  ASSERT_THAT(heads, SizeIs(2));
  EXPECT_EQ(heads[0].category, "red");
  EXPECT_EQ(heads[0].oldest, drive.item(job, "x").id.value());
  EXPECT_EQ(heads[1].category, "blue");
  EXPECT_EQ(heads[1].oldest, drive.item(job, "y").id.value());
  EXPECT_EQ(heads[1].priority, 5);
  EXPECT_EQ(heads[1].stage, first);

  // Only the lanes asked for.
  const Claims red = *drive.store().claim(
      {.worker = drive.worker(),
       .shares = {{.job = job, .lanes = {{heads[0].lane, heads[0].stage}}, .max = 10}}});
  EXPECT_THAT(keys_of(red.opened), ElementsAre("x", "z"));
  EXPECT_THAT(*drive.store().ready_lanes(), SizeIs(1));
}

// I2
TEST_P(Claiming, a_worker_reports_what_it_leaves_and_may_change_it) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  const WorkerLimits limits{.parallel = 4, .stages = {"a", "b"}, .categories = {"{"}, .left = {}};
  const WorkerId worker =
      *drive.store().enlist({.host = "h", .name = "{\"name\":1}", .limits = limits});
  EXPECT_EQ(drive.records().worker(worker)->limits, limits);
  EXPECT_EQ(drive.records().worker(worker)->name, "{\"name\":1}");

  WorkerLimits later = limits;
  later.jobs = {job, JobId{4'711}};
  later.cut_at = job;
  later.left = {{.job = job, .stage = "a", .reason = "the secret \"T\" is not set"},
                {.job = job, .stage = {}, .reason = {}}};
  ASSERT_TRUE(drive.store().note_limits(worker, later));
  EXPECT_EQ(drive.records().worker(worker)->limits, later);
  EXPECT_EQ(drive.records().worker(worker)->name, "{\"name\":1}");
  const Status unknown = drive.store().note_limits(WorkerId{4711}, later);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::not_found);
}

TEST_P(Claiming, gives_no_task_to_two_workers) {
  std::vector<std::string> keys;
  for (int i = 0; i < 20; ++i) keys.push_back(std::to_string(i));
  drive.submit(workflow("w", {stage("a")}), keys);
  const WorkerId other = drive.enlist();
  std::set<TaskId> seen;
  std::size_t total = 0;
  for (bool more = true; more;) {
    more = false;
    for (const WorkerId worker : {drive.worker(), other}) {
      const std::vector<Claimed> some = drive.claim_for(worker, 3).opened;
      for (const Claimed& one : some) {
        seen.insert(one.task.id);
        EXPECT_EQ(std::get<Running>(one.task.state).worker, worker);
      }
      total += some.size();
      more = more || !some.empty();
    }
  }
  EXPECT_EQ(total, 20U);
  EXPECT_EQ(seen.size(), 20U);
}

TEST_P(Claiming, keeps_to_the_parallelism_of_the_job_over_two_workers) {
  drive.submit(workflow("w", {stage("a")}), {"a", "b", "c", "d"},
               {.workflow = workflow("w", {stage("a")}), .parallel = 3});
  const WorkerId other = drive.enlist();
  const std::vector<Claimed> mine = drive.claim(2);
  EXPECT_THAT(mine, SizeIs(2));
  EXPECT_THAT(drive.claim_for(other).opened, SizeIs(1));
  EXPECT_THAT(drive.claim_for(other).opened, IsEmpty());
  drive.close(mine[0], succeeded());
  EXPECT_THAT(drive.claim_for(other).opened, SizeIs(1));
}

TEST_P(Claiming, keeps_to_a_pool_that_jobs_and_workers_share) {
  StageDefinition call = stage("call");
  call.limits = {.pool = "api", .parallel = 3};
  drive.submit(workflow("one", {call}), {"a", "b"});
  drive.submit(workflow("two", {call}), {"c", "d"});
  const WorkerId other = drive.enlist();
  const std::vector<Claimed> mine = drive.claim_for(drive.worker(), 1).opened;
  EXPECT_THAT(mine, SizeIs(2)) << "one of each job";
  const std::vector<Claimed> theirs = drive.claim_for(other).opened;
  EXPECT_THAT(theirs, SizeIs(1));
  EXPECT_THAT(drive.claim_for(other).opened, IsEmpty());
  drive.close(mine[1], failed("final", ErrorClass::final));
  EXPECT_THAT(drive.claim_for(other).opened, SizeIs(1));
}

TEST_P(Claiming, a_full_pool_stands_in_nobodys_way) {
  StageDefinition call = stage("call");
  call.limits = {.pool = "api", .parallel = 2};
  drive.submit(workflow("w", {call, stage("local")}), {"a", "b", "c", "d", "e"});
  const std::vector<Claimed> opened = drive.claim(7);
  const auto calls = std::ranges::count_if(
      opened, [](const Claimed& one) { return one.task.stage() == StageIndex{0}; });
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(opened, SizeIs(7)) << "and all five of the other stage";
}

// I11
TEST_P(Claiming, a_paused_and_a_cancelled_job_refuse) {
  const Workflow scan = workflow("w", {stage("a")});
  const JobId paused = drive.submit(scan, {"a"});
  const JobId cancelled = drive.submit(scan, {"b"});
  const ClaimRequest request = drive.everything(drive.worker());
  ASSERT_TRUE(drive.act(PauseJob{paused}));
  ASSERT_TRUE(drive.act(CancelJob{cancelled}));
  const Claims claims = *drive.store().claim(request);
  EXPECT_THAT(claims.opened, IsEmpty());
  ASSERT_THAT(claims.refused, SizeIs(2));
  EXPECT_EQ(state_of(claims.refused[0]), JobState::paused);
  EXPECT_EQ(state_of(claims.refused[1]), JobState::cancelled);
  EXPECT_TRUE(drive.job(cancelled).has_ended()) << "nothing runs";
  ASSERT_TRUE(drive.act(ResumeJob{paused}));
  EXPECT_EQ(drive.work(always(succeeded())), 1);
}

TEST_P(Claiming, a_budget_of_attempts_is_exact_over_two_workers) {
  std::vector<std::string> keys;
  for (int i = 0; i < 20; ++i) keys.push_back(std::to_string(i));
  const Workflow scan = workflow("w", {stage("a")});
  const JobId job =
      drive.submit(scan, keys, {.workflow = scan, .budget = {.max_total_attempts = 7}});
  const WorkerId other = drive.enlist();
  std::size_t opened = 0;
  const auto claim_all = [&] {
    for (int turn = 0; turn < 5; ++turn) {
      opened += drive.claim_for(drive.worker(), 2).opened.size();
      opened += drive.claim_for(other, 2).opened.size();
    }
  };
  claim_all();
  EXPECT_EQ(opened, 7U);
  EXPECT_EQ(drive.job(job).paused, PauseCause::budget);
  EXPECT_EQ(count_events(EventType::budget_reached), 1);
  expect_error(drive.act(ResumeJob{job}), ErrorCode::refused, "has used up its total attempts");
  ASSERT_TRUE(drive.act(SetBudget{job, {.max_total_attempts = 9}}));
  EXPECT_EQ(drive.job(job).paused, PauseCause::none);
  claim_all();
  EXPECT_EQ(opened, 9U);
}

TEST_P(Claiming, a_conditional_task_stays_ready_until_somebody_has_looked) {
  StageDefinition maybe = stage("maybe");
  maybe.conditional = true;
  const JobId job = drive.submit(workflow("w", {maybe, stage("after", {"maybe"})}), {"a", "b"});
  const Claims claims = drive.claim_for(drive.worker());
  EXPECT_THAT(claims.opened, IsEmpty());
  ASSERT_THAT(claims.conditional, SizeIs(2));
  EXPECT_EQ(claims.conditional[0].task.kind(), StateKind::ready);

  // False: skipped by choice, without an attempt, and its dependents continue.
  EXPECT_EQ(drive.commit(skip_by_choice(claims.conditional[0].task)).outcome, StepOutcome::applied);
  EXPECT_EQ(drive.task(job, "a").kind(), StateKind::skipped);
  EXPECT_EQ(drive.task(job, "a").attempts, 0U);
  EXPECT_EQ(drive.task(job, "a", 1).kind(), StateKind::ready);

  // True: opened by a step.
  const Task& ready = claims.conditional[1].task;
  Step open_it{.was = StateKind::ready, .expected = ready.version, .next = ready};
  ++open_it.next.version;
  open_it.open_for = drive.worker();
  open_it.open_max = 1;
  const StepAnswer opened = drive.commit(open_it);
  ASSERT_THAT(opened.opened, SizeIs(1));
  EXPECT_EQ(opened.opened[0].attempts, 1U);
  EXPECT_EQ(drive.commit(open_it).outcome, StepOutcome::fenced);
}

// Attempts opened for a worker that has already been swept would never be recovered.
TEST_P(Claiming, a_worker_that_was_swept_opens_nothing_more) {
  StageDefinition maybe = stage("maybe");
  maybe.conditional = true;
  const JobId job = drive.submit(workflow("w", {stage("a"), maybe}), {"x"});
  const WorkerId slow = drive.enlist(10s);
  const Claims claims = drive.claim_for(slow, 1);
  const ClaimRequest request = drive.everything(slow);
  const Task conditional = drive.task(job, "x", 1);
  drive.clock().advance(11s);
  ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));

  const Result<Claims> refused = drive.store().claim(request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::not_found);
  const std::vector<NewItem> more = items_of({"y"});
  EXPECT_FALSE(drive.store().submit({.workflow = workflow("v", {stage("a")})},
                                    {.items = more, .open_for = slow, .open_max = 1}));
  Step open_it{.was = StateKind::ready, .expected = conditional.version, .next = conditional};
  ++open_it.next.version;
  open_it.open_for = slow;
  open_it.open_max = 1;
  EXPECT_THAT(drive.commit(open_it, slow).opened, IsEmpty());
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::ready);
}

}  // namespace
}  // namespace pawl::driving
