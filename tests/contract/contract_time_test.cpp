/// Time and worker deaths, budgets, job-wide stages, items, the log, payloads, adoption, import,
/// errors.

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Sweeping = Contract;
using Limiting = Contract;
using JobWide = Contract;
using Items = Contract;
using Log = Contract;
using Acting = Contract;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, Sweeping, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Limiting, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, JobWide, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Items, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Log, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Acting, kinds, name_of_kind);

// I9
TEST_P(Sweeping, wakes_a_retry_at_its_microsecond_and_not_before) {
  const JobId job = drive.submit(workflow("w", {with_attempts(stage("a"), 3, 1'000'001us)}), {"x"});
  drive.close(drive.claim()[0], failed("busy"));
  const Timestamp due = drive.clock().now() + 1'000'001us;
  EXPECT_EQ(std::get<RetryScheduled>(drive.task(job, "x").state).next_run_at, due);
  EXPECT_EQ(drive.store().sweep({})->next_due, due);
  EXPECT_THAT(drive.claim(), IsEmpty());
  drive.clock().advance_to(due - 1us);
  EXPECT_EQ(drive.store().sweep({})->woken, 0);
  EXPECT_THAT(drive.claim(), IsEmpty());
  drive.clock().advance(1us);
  const Swept swept = *drive.store().sweep({});
  EXPECT_EQ(swept.woken, 1);
  EXPECT_EQ(swept.next_due, no_time);
  const Claimed again = drive.claim()[0];
  EXPECT_EQ(again.task.attempts, 2U);
  EXPECT_EQ(again.task.cause, Cause::error_retry);
  EXPECT_EQ(again.task.feedback->summary, "Error: busy");
}

TEST_P(Sweeping, changes_no_more_rows_than_asked_and_says_that_there_are_more) {
  drive.submit(workflow("w", {with_attempts(stage("a"), 2, 1s)}), {"1", "2", "3", "4", "5"});
  drive.work_once(always(failed("busy")));
  drive.clock().advance(1s);
  std::vector<std::int64_t> woken;
  for (bool more = true; more;) {
    const Swept swept = *drive.store().sweep({.max = 2});
    woken.push_back(swept.woken);
    more = swept.more;
  }
  EXPECT_THAT(woken, ElementsAre(2, 2, 1));
}

// I4
TEST_P(Sweeping, gives_back_the_work_of_an_expired_worker_and_fences_its_late_result) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  const WorkerId slow = drive.enlist(10s);
  const Claimed held = drive.claim_for(slow).opened[0];
  drive.clock().advance(10s - 1us);
  EXPECT_EQ(drive.store().sweep({.self = drive.worker()})->interrupted, 0);
  drive.clock().advance(1us);
  EXPECT_EQ(drive.store().sweep({.self = drive.worker()})->interrupted, 1);

  const Claimed again = drive.claim()[0];
  EXPECT_EQ(again.task.attempts, 2U) << "claimable at once, under the next number";
  EXPECT_EQ(again.task.cause, Cause::interrupted);
  EXPECT_EQ(again.task.counts.failures, 0U) << "an interruption uses no count";
  EXPECT_EQ(again.task.counts.interruptions, 1U);
  EXPECT_EQ(drive.close(held, succeeded(Json("late"))), StepOutcome::fenced);
  const Status renewed = drive.store().renew(slow);
  ASSERT_FALSE(renewed);
  EXPECT_EQ(renewed.error().code, ErrorCode::not_found);

  drive.close(again, succeeded(Json("good")));
  EXPECT_EQ(drive.records().output(again.task.id)->output, Json("good"));
  EXPECT_THAT(numbers(again.task.id), ElementsAre(1, 2));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Sweeping, never_ends_the_one_who_sweeps) {
  drive.submit(workflow("w", {stage("a")}), {"x"});
  const WorkerId self = drive.enlist(10s);
  const Claimed held = drive.claim_for(self).opened[0];
  drive.clock().advance(60s);
  EXPECT_EQ(drive.store().sweep({.self = self})->interrupted, 0);
  ASSERT_TRUE(drive.store().renew(self));
  EXPECT_EQ(drive.close(held, succeeded()), StepOutcome::applied);
}

TEST_P(Sweeping, a_renewal_records_since_when_the_worker_holds_what_it_holds) {
  const WorkerId worker = drive.enlist(10s);
  EXPECT_EQ(drive.records().worker(worker)->holds_since, no_time);
  const Timestamp since = drive.clock().now() - 3s;
  ASSERT_TRUE(drive.store().renew(worker, since));
  EXPECT_EQ(drive.records().worker(worker)->holds_since, since);
  ASSERT_TRUE(drive.store().renew(worker));
  EXPECT_EQ(drive.records().worker(worker)->holds_since, since) << "nothing new was said";
  EXPECT_EQ(drive.store().setbacks(), 0U);
}

TEST_P(Sweeping, gives_back_the_work_of_a_worker_that_signed_off) {
  drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  const WorkerId leaving = drive.enlist();
  drive.claim_for(leaving, 2);
  EXPECT_EQ(drive.store().sweep({})->interrupted, 0);
  ASSERT_TRUE(drive.store().retire(leaving));
  EXPECT_TRUE(drive.records().worker(leaving)->retired);
  EXPECT_EQ(drive.store().sweep({.self = drive.worker(), .max = 1})->interrupted, 1);
  EXPECT_EQ(drive.store().sweep({.self = drive.worker()})->interrupted, 1);
  EXPECT_EQ(drive.work(always(succeeded())), 2);
}

TEST_P(Sweeping, an_item_that_kills_its_workers_fails_at_the_limit_and_not_before) {
  StageDefinition deadly = stage("deadly");
  deadly.retry.max_interruptions = 3;
  const JobId job = drive.submit(workflow("w", {deadly}), {"x"});
  for (int death = 1; death <= 3; ++death) {
    ASSERT_EQ(drive.task(job, "x").kind(), StateKind::ready) << "after " << death - 1;
    drive.claim_for(drive.enlist(1s));
    drive.clock().advance(2s);
    ASSERT_TRUE(drive.store().sweep({.self = drive.worker()}));
  }
  EXPECT_EQ(std::get<Failed>(drive.task(job, "x").state).cause, FailCause::interruptions);
  EXPECT_THAT(numbers(drive.task_of(job, "x")), ElementsAre(1, 2, 3));
}

// I11
TEST_P(Sweeping, the_work_of_a_dead_worker_in_a_cancelled_job_is_recorded_and_not_begun_again) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  drive.claim_for(drive.enlist(1s));
  ASSERT_TRUE(drive.act(CancelJob{job}));
  EXPECT_FALSE(drive.job(job).has_ended());
  drive.clock().advance(2s);
  EXPECT_EQ(drive.store().sweep({.self = drive.worker()})->interrupted, 1);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::cancelled);
  EXPECT_TRUE(drive.job(job).has_ended());
  EXPECT_EQ(state_of(drive.job(job)), JobState::cancelled);
  EXPECT_EQ(drive.job(job).dead_letters, 0);
}

TEST_P(Limiting, a_deadline_that_fails_the_job_cancels_the_rest_without_dead_letters) {
  const Workflow scan = workflow("w", {stage("a")});
  const JobId job =
      drive.submit(scan, {"x", "y"},
                   {.workflow = scan, .budget = {.deadline = 60s, .exhausted = OnBudgetEnd::fail}});
  const Claimed running = drive.claim(1)[0];
  EXPECT_EQ(drive.store().sweep({})->next_due, drive.clock().now() + 60s);
  drive.clock().advance(60s - 1us);
  EXPECT_EQ(drive.store().sweep({})->ended_jobs, 0);
  drive.clock().advance(1us);
  EXPECT_EQ(drive.store().sweep({})->ended_jobs, 1);
  EXPECT_EQ(drive.job(job).cancelled, CancelCause::deadline);
  EXPECT_THAT(drive.claim(), IsEmpty());
  drive.close(running, succeeded());
  EXPECT_EQ(std::get<Cancelled>(drive.task(job, "x").state).cause, CancelCause::deadline);
  EXPECT_EQ(drive.job(job).dead_letters, 0);
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed);
  EXPECT_TRUE(drive.job(job).has_ended());
  const Workflow flow = *drive.records().workflow(drive.job(job).workflow_hash);
  EXPECT_EQ(shown_counts(drive.job(job), flow, first)[StateKind::cancelled], 2);
}

TEST_P(Limiting, a_deadline_that_pauses_is_raised_and_the_job_goes_on) {
  const Workflow scan = workflow("w", {stage("a")});
  const JobId job = drive.submit(scan, {"x", "y"}, {.workflow = scan, .budget = {.deadline = 60s}});
  const Claimed running = drive.claim(1)[0];
  drive.clock().advance(60s);
  EXPECT_EQ(drive.store().sweep({})->ended_jobs, 1);
  EXPECT_EQ(drive.job(job).paused, PauseCause::deadline);
  EXPECT_EQ(drive.close(running, succeeded()), StepOutcome::applied);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::succeeded) << "what runs finishes and applies";
  expect_error(drive.act(ResumeJob{job}), ErrorCode::refused, "job 1 has used up its deadline");
  ASSERT_TRUE(drive.act(SetBudget{job, {.deadline = 120s}}));
  EXPECT_EQ(drive.job(job).paused, PauseCause::none);
  EXPECT_EQ(drive.job(job).deadline_at, drive.job(job).submitted_at + 120s);
  EXPECT_EQ(drive.work(always(succeeded())), 1);
}

TEST_P(Limiting, a_pause_lets_what_runs_finish_and_opens_nothing) {
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b", {"a"})}), {"x", "y"});
  const Claimed running = drive.claim(1)[0];
  ASSERT_TRUE(drive.act(PauseJob{job}));
  Step step = drive.closing(running, {.closed = succeeded()});
  step.open_for = drive.worker();
  step.open_max = 5;
  const StepAnswer answer = drive.commit(step);
  EXPECT_EQ(answer.outcome, StepOutcome::applied);
  EXPECT_THAT(answer.opened, IsEmpty());
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::ready);
  EXPECT_EQ(drive.work(always(succeeded())), 0);
  ASSERT_TRUE(drive.act(PauseJob{job})) << "twice is once";
  EXPECT_EQ(count_events(EventType::job_paused), 1);
  ASSERT_TRUE(drive.act(ResumeJob{job}));
  EXPECT_EQ(drive.work(always(succeeded())), 3);
  expect_error(drive.act(PauseJob{job}), ErrorCode::refused, "job 1 has already ended");
}

TEST_P(Limiting, cost_tokens_and_lack_of_progress_are_budgets_too) {
  const Workflow scan = workflow("w", {with_attempts(stage("a"), 100)});
  Attempt dear = succeeded();
  dear.usage = {.cost_microusd = 600, .tokens = 7};
  const JobId cost =
      drive.submit(scan, {"1", "2", "3"}, {.workflow = scan, .budget = {.cost_microusd = 1'000}});
  for (int i = 0; i < 2; ++i) drive.close(drive.claim(1)[0], dear);
  EXPECT_THAT(drive.claim(), IsEmpty());
  EXPECT_EQ(drive.job(cost).paused, PauseCause::budget);
  EXPECT_EQ(drive.job(cost).used, (Usage{.cost_microusd = 1'200, .tokens = 14}));
  ASSERT_TRUE(drive.act(CancelJob{cost}));

  const JobId stuck =
      drive.submit(scan, {"1"}, {.workflow = scan, .budget = {.no_progress_decisions = 5}});
  EXPECT_EQ(drive.work(always(failed("busy"))), 5);
  EXPECT_EQ(drive.job(stuck).paused, PauseCause::no_progress);

  const JobId capped =
      drive.submit(scan, {"1"}, {.workflow = scan, .budget = {.max_attempts_per_task = 3}});
  EXPECT_EQ(drive.work(always(failed("busy"))), 3) << "on top of the stage's own policy";
  EXPECT_EQ(state_of(drive.job(capped)), JobState::failed);
}

TEST_P(JobWide, runs_once_when_every_item_is_through_however_it_ended) {
  const Workflow sum = workflow("w", {stage("a"), job_wide("sum", {"a"})});
  const auto item = [](std::string key) {
    return NewItem{.key = std::move(key), .data_sha256 = "same"};
  };
  const std::vector<NewItem> before{item("adopted")};
  ASSERT_TRUE(drive.store().submit({.workflow = sum}, {.items = before, .close = true}));
  drive.work(always(succeeded()));

  const std::vector<NewItem> items{item("good"), item("bad"), item("dropped"), item("adopted")};
  const JobId job =
      drive.store().submit({.workflow = sum}, {.items = items, .adopt = true})->job.id;
  EXPECT_EQ(drive.job(job).items.adopted, 1);
  ASSERT_TRUE(drive.act(CancelItem{drive.item(job, "dropped").id}));
  drive.work([](const Claimed& claimed) -> Work {
    return {.closed = claimed.item_key == "bad" ? failed("torn") : succeeded()};
  });
  const TaskId reduce = task_id(drive.job(job).reduce_ordinal, second);
  EXPECT_FALSE(drive.records().task(reduce)) << "more items may come";
  ASSERT_TRUE(drive.store().add_items({.job = job, .close = true}));
  const std::vector<Claimed> claimed = drive.claim();
  ASSERT_THAT(claimed, SizeIs(1));
  EXPECT_EQ(claimed[0].task.id, reduce);
  EXPECT_EQ(claimed[0].task.item, ItemId{});
  drive.close(claimed[0], succeeded(Json(3)));
  EXPECT_EQ(drive.records().output(reduce)->output, Json(3));
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed) << "one item failed";
  EXPECT_EQ(drive.job(job).items,
            (ItemCounts{.total = 4, .succeeded = 2, .failed = 1, .cancelled = 1, .adopted = 1}));
}

TEST_P(JobWide, runs_also_without_items) {
  const Submitted done = *drive.store().submit(
      {.workflow = workflow("w", {stage("a"), job_wide("sum", {"a"})})}, {.close = true});
  EXPECT_FALSE(done.job.has_ended());
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(done.job.id)), JobState::completed);
}

TEST_P(JobWide, a_failure_skips_what_needs_it_and_its_retry_runs_that_too) {
  const JobId job = drive.submit(
      workflow("w", {stage("a"), job_wide("sum", {"a"}), job_wide("post", {"sum"})}), {"x"});
  drive.work([](const Claimed& claimed) -> Work {
    if (claimed.task.stage() == second) return {.closed = failed("torn")};
    return {.closed = succeeded()};
  });
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed);
  const TaskId sum = task_id(drive.job(job).reduce_ordinal, second);
  EXPECT_EQ(drive.task_with(task_id(drive.job(job).reduce_ordinal, third)).kind(),
            StateKind::skipped);
  drive.expect_sound();
  ASSERT_TRUE(drive.act(Rerun{.task = sum}));
  EXPECT_EQ(drive.work(always(succeeded())), 2);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Items, a_cancelled_one_ends_at_once_except_for_what_runs) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), stage("b"), stage("c", {"a", "b"})}), {"x", "y"});
  const Claimed running = drive.claim(1)[0];
  const ItemId item = drive.item(job, "x").id;
  ASSERT_TRUE(drive.act(CancelItem{item}));
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::cancelled);
  EXPECT_EQ(drive.task(job, "x", 2).kind(), StateKind::cancelled);
  EXPECT_EQ(drive.task(job, "x", 0).kind(), StateKind::running);
  EXPECT_EQ(drive.item(job, "x").state, ItemState::active);
  drive.close(running, succeeded(Json("late")));
  EXPECT_EQ(drive.task(job, "x", 0).kind(), StateKind::cancelled);
  EXPECT_EQ(drive.item(job, "x").state, ItemState::cancelled);
  expect_error(drive.act(CancelItem{item}), ErrorCode::refused, "has already settled");
  expect_error(drive.act(Rerun{.task = running.task.id}), ErrorCode::refused, "was cancelled");
  EXPECT_EQ(drive.work(always(succeeded())), 3);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Items, cancelling_one_drops_its_question_and_its_children) {
  StageDefinition ask = reviewed("ask");
  const JobId job = drive.submit(workflow("w", {ask, stage("fan")}), {"x"});
  const std::vector<Claimed> both = drive.claim();
  drive.close(both[0], succeeded());
  drive.close(both[1], split({"p", "q"}));
  const Claimed child = drive.claim(1)[0];
  const Review review = open_review(job);
  ASSERT_TRUE(drive.act(CancelItem{drive.item(job, "x").id}));
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::superseded);
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::cancelled);
  EXPECT_EQ(drive.job(job).attempts_open, 0) << "its children end with it";
  EXPECT_EQ(drive.close(child, failed("torn")), StepOutcome::fenced);
  EXPECT_THAT(numbers(child.task.id), ElementsAre(1));
  EXPECT_EQ(drive.item(job, "x").state, ItemState::cancelled);
  EXPECT_EQ(drive.job(job).dead_letters, 0);
  EXPECT_TRUE(drive.job(job).has_ended());
}

// An operator may still have the purged review on the screen.
TEST_P(Items, a_purged_review_leaves_its_number_to_nobody) {
  const JobId job = drive.submit(workflow("w", {reviewed("ask")}), {"x"});
  drive.close(drive.claim()[0], succeeded());
  const Review gone = open_review(job);
  ASSERT_TRUE(drive.act(AnswerReview{gone.id, {.reviewer = "eve"}}));
  ASSERT_TRUE(drive.act(PurgeItem{gone.item}));
  const JobId next = drive.submit(workflow("w", {reviewed("ask")}), {"y"});
  drive.close(drive.claim()[0], succeeded());
  EXPECT_NE(open_review(next).id, gone.id);
}

TEST_P(Items, a_discarded_letter_stays_failed_and_a_purged_item_is_gone_from_every_count) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x", "y"});
  drive.work([](const Claimed& claimed) -> Work {
    Attempt closed = claimed.item_key == "x" ? failed("torn") : succeeded();
    closed.usage = {.cost_microusd = 10, .tokens = 1};
    return {.closed = closed};
  });
  const Task letter = drive.task(job, "x");
  expect_error(drive.act(DiscardDeadLetter{.task = letter.id}), ErrorCode::invalid, "reason");
  expect_error(drive.act(PurgeItem{letter.item}), ErrorCode::refused,
               "has a dead letter that nobody has dealt with");
  ASSERT_TRUE(drive.act(DiscardDeadLetter{.task = letter.id, .reason = "known", .by = "eve"}));
  EXPECT_TRUE(std::get<Failed>(drive.task(job, "x").state).discarded);
  EXPECT_EQ(drive.job(job).dead_letters, 0);
  EXPECT_EQ(drive.job(job).failed_tasks, 1);
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed);
  EXPECT_THAT(*drive.records().tasks({.job = job, .discarded = true}), SizeIs(1));
  expect_error(drive.act(DiscardDeadLetter{.task = letter.id, .reason = "again"}),
               ErrorCode::conflict, "is not an open dead letter");
  drive.expect_sound();

  const std::size_t events_before = events().size();
  ASSERT_TRUE(drive.act(PurgeItem{letter.item}));
  const Job after = drive.job(job);
  EXPECT_EQ(after.items, (ItemCounts{.total = 1, .succeeded = 1}));
  EXPECT_EQ(after.failed_tasks, 0);
  EXPECT_EQ(after.attempts_opened, 1);
  EXPECT_EQ(after.used, (Usage{.cost_microusd = 10, .tokens = 1}));
  EXPECT_FALSE(drive.records().item(letter.item));
  EXPECT_FALSE(drive.records().task(letter.id));
  EXPECT_THAT(numbers(letter.id), IsEmpty());
  EXPECT_EQ(events().size(), events_before + 1) << "the log stays";
}

TEST_P(Items, one_that_an_earlier_job_finished_is_taken_over_whole) {
  const Workflow scan = workflow("w", {stage("a")});
  const auto submit = [&](std::string key, std::string digest, Json params, bool adopt = true) {
    const std::vector<NewItem> one{{.key = std::move(key), .data_sha256 = std::move(digest)}};
    return *drive.store().submit({.workflow = scan, .params = std::move(params)},
                                 {.items = one, .adopt = adopt, .close = true});
  };
  const JobId original = submit("x", "d1", Json(1)).job.id;
  drive.work(always(succeeded(Json("out"))));

  const Submitted taken = submit("x", "d1", Json(1));
  EXPECT_EQ(taken.items.adopted, 1);
  EXPECT_EQ(state_of(taken.job), JobState::completed);
  const Item adopted = drive.item(taken.job.id, "x");
  EXPECT_EQ(adopted.state, ItemState::succeeded);
  EXPECT_EQ(adopted.adopted_from, drive.item(original, "x").id);
  EXPECT_EQ(drive.records().outputs(adopted.id)->at(0).output, Json("out"));
  const Submitted again = submit("x", "d1", Json(1));
  EXPECT_EQ(drive.item(again.job.id, "x").adopted_from, adopted.adopted_from) << "the original";

  EXPECT_EQ(submit("x", "d2", Json(1)).items.adopted, 0) << "other data";
  EXPECT_EQ(submit("y", "d1", Json(1)).items.adopted, 0) << "other key";
  EXPECT_EQ(submit("x", "d1", Json(2)).items.adopted, 0) << "other params";
  EXPECT_EQ(submit("x", "d1", Json(1), false).items.adopted, 0) << "not asked for";
  EXPECT_EQ(submit("x", "", Json(1)).items.adopted, 0) << "no digest";
}

TEST_P(Items, come_with_the_history_an_older_system_knew) {
  const auto past = [](AttemptNumber number, AttemptResult result) {
    Attempt attempt;
    attempt.number = number;
    attempt.result = result;
    attempt.ended_at = Timestamp{1'600'000'000s};
    attempt.decision.rule = Rule::imported;
    return attempt;
  };
  const std::vector<Attempt> failures{past(1, AttemptResult::failure),
                                      past(2, AttemptResult::failure)};
  Attempt good = past(1, AttemptResult::success);
  good.output = Json("old");
  const std::vector<NewItem> items{
      {.key = "due", .history = ItemHistory{.attempts = failures}},
      {.key = "dead", .history = ItemHistory{.attempts = failures, .dead = true}},
      {.key = "done", .history = ItemHistory{.attempts = {good}, .succeeded = true}}};
  const JobId job = drive.store()
                        .submit({.workflow = workflow("w", {stage("a"), stage("b", {"a"})})},
                                {.items = items, .close = true})
                        ->job.id;
  EXPECT_EQ(drive.job(job).attempts_opened, 5);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
  EXPECT_EQ(drive.task(job, "dead", 1).kind(), StateKind::skipped);
  EXPECT_EQ(drive.task(job, "done", 1).kind(), StateKind::ready);
  EXPECT_EQ(drive.records().output(drive.task_of(job, "done"))->output, Json("old"));
  drive.expect_sound();

  std::vector<std::pair<std::string, AttemptNumber>> ran;
  drive.work([&](const Claimed& claimed) -> Work {
    if (claimed.task.stage() == first) ran.emplace_back(claimed.item_key, claimed.task.attempts);
    return {.closed = succeeded()};
  });
  EXPECT_THAT(ran, ElementsAre(std::pair("due", 3U)));
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "dead")}));
  drive.work(always(succeeded()));
  EXPECT_THAT(numbers(drive.task_of(job, "dead")), ElementsAre(1, 2, 3));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

// an item with several first stages, one of which was imported
TEST_P(Items, an_imported_dead_letter_leaves_the_other_first_stages_to_run) {
  Attempt past;
  past.number = 1;
  past.result = AttemptResult::failure;
  past.decision.rule = Rule::imported;
  const std::vector<NewItem> items{
      {.key = "x", .history = ItemHistory{.attempts = {past}, .dead = true}}};
  const JobId job =
      drive.store()
          .submit({.workflow = workflow("w", {stage("a"), stage("b"), stage("c", {"a"})})},
                  {.items = items, .close = true})
          ->job.id;
  EXPECT_EQ(drive.item(job, "x").state, ItemState::active);
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(drive.item(job, "x").state, ItemState::failed);
  EXPECT_TRUE(drive.job(job).has_ended());
}

TEST_P(Log, is_dense_and_read_by_cursor_in_pages_without_a_gap) {
  const Workflow scan = workflow("w", {with_attempts(stage("a"), 2), stage("b", {"a"})});
  const JobId one = drive.submit(scan, {"x", "y"});
  const JobId two = drive.submit(scan, {"z"});
  drive.work([](const Claimed& claimed) -> Work {
    const bool fails = claimed.task.attempts == 1 && claimed.task.stage() == first;
    return {.closed = fails ? failed("busy") : succeeded()};
  });
  const std::vector<Event> all = events();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const EventSeq last = all[i - 1].seq;
    EXPECT_TRUE(all[i].seq == last + 1 || all[i].seq == (last / 16 + 1) * 16) << all[i].seq;
  }
  const auto paged = [&](EventFilter filter) {
    std::vector<Event> read;
    filter.limit = 3;
    for (;;) {
      const std::vector<Event> page = *drive.records().events(filter);
      read.insert(read.end(), page.begin(), page.end());
      if (page.size() < 3) return read;
      filter.after = page.back().seq;
    }
  };
  const auto only = [&](auto keep) {
    std::vector<Event> kept;
    std::ranges::copy_if(all, std::back_inserter(kept), keep);
    return kept;
  };
  EXPECT_EQ(paged({}), all);
  EXPECT_EQ(paged({.job = two}), only([&](const Event& e) { return e.job == two; }));
  const ItemId y = drive.item(one, "y").id;
  EXPECT_EQ(paged({.item = y}), only([&](const Event& e) { return e.item == y; }));
  EXPECT_EQ(paged({.job = one, .item = y}), only([&](const Event& e) { return e.item == y; }));
  EXPECT_THAT(paged({.job = two, .item = y}), IsEmpty());
  EXPECT_THAT(*drive.records().events({.after = all.back().seq}), IsEmpty());
  EXPECT_EQ(all.front().type, EventType::job_submitted);
  EXPECT_EQ(all.back().type, EventType::job_finished);
}

TEST_P(Log, tells_an_attempt_its_judgement_and_its_retry_in_order) {
  StageDefinition draft = with_attempts(stage("draft"), 2);
  draft.gates = {{.name = "good"}};
  const JobId job = drive.submit(workflow("w", {draft}), {"x"});
  drive.work([](const Claimed& claimed) -> Work {
    if (claimed.task.attempts == 1) return {.closed = rejected("too short")};
    Attempt good = succeeded();
    good.verdict = Verdict::accepted;
    return {.closed = good};
  });
  std::vector<EventType> types;
  for (const Event& event : events()) types.push_back(event.type);
  using enum EventType;
  EXPECT_THAT(types, ElementsAre(job_submitted, attempt_started, attempt_finished, gate_rejected,
                                 retry_scheduled, attempt_started, retry_started, attempt_finished,
                                 gate_accepted, task_succeeded, item_settled, job_finished));
  const std::vector<Event> of_task = events({.item = drive.item(job, "x").id});
  ASSERT_EQ(of_task[2].type, gate_rejected);
  EXPECT_EQ(of_task[2].text, "too short");
  ASSERT_EQ(of_task[3].type, retry_scheduled);
  EXPECT_EQ(of_task[3].attempt, 2U);
  EXPECT_EQ(of_task[3].count, 2) << "attempts at most";
}

TEST_P(Acting, payloads_are_kept_by_their_content) {
  const std::string bytes("a\0b", 3);
  const std::string sha = *drive.store().keep_payload(bytes);
  EXPECT_THAT(sha, SizeIs(64));
  EXPECT_EQ(*drive.store().keep_payload(bytes), sha);
  EXPECT_EQ(*drive.records().payload(sha), bytes);
  EXPECT_EQ(*drive.records().payload(*drive.store().keep_payload("")), "");
  EXPECT_EQ(drive.records().payload(std::string(64, 'a')).error().code, ErrorCode::not_found);
}

TEST_P(Acting, on_what_is_not_there_names_the_thing) {
  using enum ErrorCode;
  expect_error(drive.act(CancelJob{JobId{7}}), not_found, "no job 7");
  expect_error(drive.act(PauseJob{JobId{7}}), not_found, "no job 7");
  expect_error(drive.act(ResumeJob{JobId{7}}), not_found, "no job 7");
  expect_error(drive.act(SetBudget{JobId{7}, {}}), not_found, "no job 7");
  expect_error(drive.act(ReopenSubmission{JobId{7}}), not_found, "no job 7");
  expect_error(drive.act(CancelItem{ItemId{7}}), not_found, "no item 7");
  expect_error(drive.act(PurgeItem{ItemId{7}}), not_found, "no item 7");
  expect_error(drive.act(Rerun{.task = TaskId{7}}), not_found, "no task 7");
  expect_error(drive.act(DiscardDeadLetter{.task = TaskId{7}, .reason = "r"}), not_found,
               "no task 7");
  expect_error(drive.act(AnswerReview{ReviewId{7}, {}}), not_found, "no review 7");
  expect_error(drive.act(UndoAnswer{ReviewId{7}, "eve"}), not_found, "no review 7");
  expect_error(drive.act(ClaimReview{ReviewId{7}, "eve", {}}), not_found, "no review 7");
  expect_error(drive.act(ReleaseReview{ReviewId{7}, "eve"}), not_found, "no review 7");
  EXPECT_EQ(drive.store().renew(WorkerId{7}).error().code, not_found);
  EXPECT_EQ(drive.store().retire(WorkerId{7}).error().code, not_found);
  EXPECT_EQ(drive.records().job(JobId{7}).error().message, "no job 7");
  EXPECT_EQ(drive.records().review(ReviewId{7}).error().message, "no review 7");
  EXPECT_EQ(drive.records().item(JobId{7}, "k").error().message, "no item 'k' in job 7");
  EXPECT_EQ(drive.records().output(TaskId{7}).error().code, not_found);
  EXPECT_THAT(*drive.records().attempts(TaskId{7}), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
}

TEST_P(Acting, on_what_has_ended_is_refused_and_changes_nothing) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  const ItemId item = drive.item(job, "x").id;
  expect_error(drive.act(PurgeItem{item}), ErrorCode::refused, "job 1, which has not ended");
  drive.work(always(succeeded()));
  const Job before = drive.job(job);
  const std::vector<Event> log = events();
  expect_error(drive.act(CancelJob{job}), ErrorCode::refused, "job 1 has already ended");
  expect_error(drive.act(PauseJob{job}), ErrorCode::refused, "job 1 has already ended");
  expect_error(drive.act(CancelItem{item}), ErrorCode::refused, "has already settled");
  expect_error(drive.act(DiscardDeadLetter{.task = drive.task_of(job, "x"), .reason = "r"}),
               ErrorCode::conflict, "is not an open dead letter");
  EXPECT_EQ(drive.job(job), before);
  EXPECT_EQ(events(), log);
}

}  // namespace
}  // namespace pawl::driving
