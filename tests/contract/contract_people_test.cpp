/// Failures, reruns and reviews: where people intervene.

#include "contract/contract.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/store/dead_letters.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Failing = Contract;
using GoingBack = Contract;
using Reviewing = Contract;

const auto kinds = testing::ValuesIn(store_kinds());
INSTANTIATE_TEST_SUITE_P(Stores, Failing, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, GoingBack, kinds, name_of_kind);
INSTANTIATE_TEST_SUITE_P(Stores, Reviewing, kinds, name_of_kind);

/// One stage fails, all others succeed.
Script failing(StageIndex which) {
  return [which](const Claimed& claimed) -> Work {
    if (claimed.task.stage() == which) return {.closed = failed("torn", ErrorClass::final)};
    return {.closed = succeeded()};
  };
}

TEST_P(Failing, skips_everything_downstream_and_the_retried_letter_runs_it_all) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), stage("b", {"a"}), stage("c", {"b"})}), {"x"});
  EXPECT_EQ(drive.work(failing(first)), 1);
  EXPECT_EQ(std::get<Skipped>(drive.task(job, "x", 2).state).reason, SkipReason::upstream_failed);
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
  EXPECT_EQ(drive.item(job, "x").state, ItemState::failed);
  drive.expect_sound();

  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x")}));
  EXPECT_EQ(state_of(drive.job(job)), JobState::running);
  EXPECT_EQ(drive.job(job).dead_letters, 0);
  EXPECT_EQ(drive.item(job, "x").state, ItemState::active);
  EXPECT_EQ(drive.work(always(succeeded())), 3);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
  EXPECT_THAT(numbers(drive.task_of(job, "x")), ElementsAre(1, 2));
  EXPECT_EQ(count_events(EventType::job_finished), 2);
}

TEST_P(Failing, of_two_needs_is_made_good_one_after_the_other) {
  const JobId job = drive.submit(
      workflow("w", {stage("a"), stage("b"), stage("c", {"a", "b"}), stage("d", {"c"})}), {"x"});
  EXPECT_EQ(drive.work(always(failed("torn", ErrorClass::final))), 2);
  EXPECT_EQ(drive.job(job).dead_letters, 2);

  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 0)}));
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(drive.task(job, "x", 2).kind(), StateKind::skipped) << "the other need still failed";
  EXPECT_TRUE(drive.job(job).has_ended());
  drive.expect_sound();

  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 1)}));
  EXPECT_EQ(drive.work(always(succeeded())), 3);
  EXPECT_EQ(drive.task(job, "x", 3).kind(), StateKind::succeeded);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Failing, a_rerun_records_who_asked_for_it) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  drive.work(always(failed("torn", ErrorClass::final)));
  const std::string by = "eve\\b\n\"42\"";
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 0), .note = "once more", .by = by}));
  std::vector<Event> asked;
  for (const Event& event : events()) {
    if (event.type == EventType::retry_scheduled) asked.push_back(event);
  }
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].by, by);
  EXPECT_EQ(asked[0].text, "once more");
  drive.work(always(succeeded()));
}

TEST_P(Failing, both_needs_may_be_retried_before_either_runs) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), stage("b"), stage("c", {"a", "b"})}), {"x"});
  drive.work(always(failed("torn", ErrorClass::final)));
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 0)}));
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 1)}));
  EXPECT_EQ(drive.work(always(succeeded())), 3);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(Failing, under_continue_lets_dependents_run_and_the_job_still_failed) {
  StageDefinition optional = stage("optional");
  optional.on_failure = OnFailure::proceed;
  const JobId job = drive.submit(workflow("w", {optional, stage("after", {"optional"})}), {"x"});
  EXPECT_EQ(drive.work(failing(first)), 2);
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::succeeded);
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed);
  EXPECT_TRUE(drive.records().output(drive.task_of(job, "x"))->output.is_null());
}

TEST_P(Failing, under_stop_job_ends_the_job_and_what_runs_is_recorded) {
  StageDefinition vital = stage("vital");
  vital.on_failure = OnFailure::stop_job;
  const JobId job = drive.submit(workflow("w", {vital}), {"x", "y", "z"});
  const std::vector<Claimed> two = drive.claim(2);
  drive.close(two[0], failed("torn", ErrorClass::final));
  EXPECT_EQ(drive.job(job).cancelled, CancelCause::stop_job);
  EXPECT_FALSE(drive.job(job).has_ended()) << "y still runs";
  EXPECT_THAT(drive.claim(), IsEmpty());
  drive.close(two[1], succeeded());
  EXPECT_EQ(drive.task(job, "y").kind(), StateKind::cancelled);
  EXPECT_TRUE(drive.job(job).has_ended());
  EXPECT_EQ(state_of(drive.job(job)), JobState::failed);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
  const Workflow flow = *drive.records().workflow(drive.job(job).workflow_hash);
  EXPECT_EQ(shown_counts(drive.job(job), flow, first)[StateKind::cancelled], 2);
}

TEST_P(Failing, more_often_than_tolerated_ends_the_job) {
  const Workflow scan = workflow("w", {stage("a")});
  const JobId job = drive.submit(scan, {"1", "2", "3", "4"},
                                 {.workflow = scan, .tolerate_failures = {.count = 1}});
  drive.close(drive.claim(1)[0], failed("torn"));
  EXPECT_FALSE(drive.job(job).cancelled);
  drive.close(drive.claim(1)[0], failed("torn"));
  EXPECT_EQ(drive.job(job).cancelled, CancelCause::tolerance);
  EXPECT_TRUE(drive.job(job).has_ended());
  EXPECT_EQ(drive.job(job).dead_letters, 2) << "what never failed by itself is no dead letter";
}

TEST_P(GoingBack, only_what_depends_on_the_stage_runs_again) {
  const JobId job = drive.submit(workflow("diamond", {stage("a"), stage("b", {"a"}),
                                                      stage("c", {"a"}), stage("d", {"b", "c"})}),
                                 {"x"});
  drive.work([](const Claimed& claimed) -> Work {
    return {.closed = succeeded(Json(claimed.task.id.value()))};
  });
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 1), .note = "again", .by = "eve"}));
  const Task b = drive.task(job, "x", 1);
  EXPECT_EQ(b.kind(), StateKind::ready);
  EXPECT_EQ(b.epoch, 2U);
  EXPECT_EQ(b.cause, Cause::manual);
  EXPECT_EQ(b.feedback->summary, "again");
  EXPECT_EQ(drive.task(job, "x", 2).epoch, 1U) << "c is not downstream of b";
  EXPECT_EQ(std::get<Waiting>(drive.task(job, "x", 3).state).satisfied, 2U) << "c's bit stays";
  EXPECT_EQ(drive.task(job, "x", 3).epoch, 2U);
  drive.expect_sound();

  EXPECT_EQ(drive.work(always(succeeded(Json("new")))), 2);
  EXPECT_THAT(numbers(drive.task_of(job, "x", 1)), ElementsAre(1, 2));
  const std::vector<StageOutput> outputs = *drive.records().outputs(drive.item(job, "x").id);
  ASSERT_THAT(outputs, SizeIs(4));
  EXPECT_EQ(outputs[1].output, Json("new"));
  EXPECT_EQ(outputs[2].output, Json(drive.task_of(job, "x", 2).value()));
  EXPECT_EQ(outputs[3].output, Json("new"));
}

TEST_P(GoingBack, ends_what_runs_downstream_and_fences_its_result) {
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b", {"a"})}), {"x"});
  drive.close(drive.claim()[0], succeeded());
  const Claimed running = drive.claim()[0];
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "x", 0)}));
  EXPECT_EQ(drive.close(running, succeeded(Json("late"))), StepOutcome::fenced);
  const std::vector<Attempt> attempts = *drive.records().attempts(running.task.id);
  ASSERT_THAT(attempts, SizeIs(1));
  EXPECT_EQ(attempts[0].result, AttemptResult::interrupted);
  EXPECT_EQ(drive.job(job).attempts_open, 0);
  EXPECT_EQ(drive.work(always(succeeded())), 2);
  EXPECT_THAT(numbers(running.task.id), ElementsAre(1, 2));
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(GoingBack, runs_the_job_wide_stages_again_too) {
  const JobId job = drive.submit(
      workflow("w", {stage("a"), job_wide("sum", {"a"}), job_wide("post", {"sum"})}), {"x", "y"});
  EXPECT_EQ(drive.work(always(succeeded())), 4);
  ASSERT_TRUE(drive.act(Rerun{.task = drive.task_of(job, "y")}));
  drive.expect_sound();
  EXPECT_EQ(drive.work(always(succeeded())), 3);
  const TaskId sum = task_id(drive.job(job).reduce_ordinal, second);
  EXPECT_THAT(numbers(sum), ElementsAre(1, 2));
  EXPECT_EQ(drive.task_with(sum).epoch, 2U);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(GoingBack, of_two_who_retry_the_same_letter_one_is_told) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  drive.work(always(failed("torn")));
  const Task seen = drive.task(job, "x");
  ASSERT_TRUE(drive.act(Rerun{.task = seen.id, .expected = seen.version}));
  expect_error(drive.act(Rerun{.task = seen.id, .expected = seen.version}), ErrorCode::conflict,
               "somebody was faster");
}

TEST_P(GoingBack, is_refused_where_it_makes_no_sense) {
  const Workflow chain = workflow("w", {stage("a"), stage("b", {"a"})});
  const JobId job =
      drive.submit(chain, {"x"}, {.workflow = chain, .budget = {.max_total_attempts = 1}});
  drive.work(failing(first));
  expect_error(drive.act(Rerun{.task = drive.task_of(job, "x", 0)}), ErrorCode::refused,
               "job 1 has used up its total attempts; raise the budget (SetBudget, or `pawl job "
               "budget 1`)");
  ASSERT_TRUE(drive.act(SetBudget{job, {}}));
  expect_error(drive.act(Rerun{.task = drive.task_of(job, "x", 1)}), ErrorCode::refused,
               "stage 'b' has not run");

  const JobId cancelled = drive.submit(chain, {"y"});
  ASSERT_TRUE(drive.act(CancelJob{cancelled}));
  expect_error(drive.act(Rerun{.task = drive.task_of(cancelled, "y")}), ErrorCode::refused,
               "job 2 was cancelled");
}

TEST_P(Reviewing, an_answer_is_for_what_was_shown_and_only_the_first_counts) {
  const JobId job = drive.submit(workflow("w", {reviewed("a"), stage("b", {"a"})}), {"x"});
  drive.work(always(succeeded(Json("draft"))));
  EXPECT_TRUE(waits_for_people(drive.job(job)));
  const Review review = open_review(job);
  EXPECT_EQ(review.reason, ReviewReason::policy);
  EXPECT_EQ(review.attempt, 1U);
  EXPECT_THAT(review.digest, testing::StartsWith("sha256:"));

  expect_error(drive.act(AnswerReview{review.id, {.reviewer = "eve", .digest = "sha256:other"}}),
               ErrorCode::conflict, "review 1 is about other content than was shown");
  ASSERT_TRUE(drive.act(AnswerReview{review.id, {.reviewer = "eve", .digest = review.digest}}));
  expect_error(say(review, ReviewOutcome::reject, "bob"), ErrorCode::conflict,
               "review 1 was already answered by eve");
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::succeeded);
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::closed);
  EXPECT_EQ(drive.records().review(review.id)->answer->reviewer, "eve");
  EXPECT_EQ(drive.work(always(succeeded())), 1);
}

TEST_P(Reviewing, whoever_claimed_it_answers_until_the_claim_is_released_or_expires) {
  const JobId job = drive.submit(workflow("w", {reviewed("a")}), {"x"});
  drive.work(always(succeeded()));
  const Review review = open_review(job);
  const Timestamp until = drive.clock().now() + 60s;
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "eve", until}));
  expect_error(drive.act(ClaimReview{review.id, "bob", until}), ErrorCode::conflict,
               "review 1 is claimed by eve");
  expect_error(say(review, ReviewOutcome::approve, "bob"), ErrorCode::conflict,
               "review 1 is claimed by eve");
  expect_error(drive.act(ReleaseReview{review.id, "bob"}), ErrorCode::conflict,
               "review 1 is not claimed by bob");
  ASSERT_TRUE(drive.act(ReleaseReview{review.id, "eve"}));
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "bob", until}));
  drive.clock().advance(60s);
  ASSERT_TRUE(drive.act(ClaimReview{review.id, "eve", until + 60s})) << "bob's claim ran out";
  ASSERT_TRUE(say(review, ReviewOutcome::approve, "eve"));
}

TEST_P(Reviewing, an_answer_may_take_effect_later_and_be_taken_back_until_then) {
  const JobId job = drive.submit(workflow("w", {reviewed("a")}), {"x"});
  drive.work(always(succeeded()));
  const Review review = open_review(job);
  const Timestamp later = drive.clock().now() + 5s;
  const AnswerReview approve{review.id, {.reviewer = "eve", .effective_at = later}};
  ASSERT_TRUE(drive.act(approve));
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::awaiting_review);
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::answered);
  expect_error(say(review, ReviewOutcome::approve, "bob"), ErrorCode::conflict,
               "already answered by eve");
  expect_error(drive.act(UndoAnswer{review.id, "bob"}), ErrorCode::refused,
               "only eve may take back");
  ASSERT_TRUE(drive.act(UndoAnswer{review.id, "eve"}));
  expect_error(drive.act(UndoAnswer{review.id, "eve"}), ErrorCode::conflict,
               "no answer that could be taken back");
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::open);
  EXPECT_EQ(drive.records().review(review.id)->answer, std::nullopt);

  ASSERT_TRUE(drive.act(approve));
  EXPECT_EQ(drive.store().sweep({})->next_due, later);
  drive.clock().advance_to(later - 1us);
  EXPECT_EQ(drive.store().sweep({})->answered, 0);
  drive.clock().advance(1us);
  EXPECT_EQ(drive.store().sweep({})->answered, 1);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::succeeded);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
  EXPECT_EQ(count_events(EventType::review_decided), 1);
}

TEST_P(Reviewing, edits_replace_the_output_and_only_what_is_editable_may_change) {
  StageDefinition draft = reviewed("draft");
  draft.editable = {"title"};
  const JobId job = drive.submit(workflow("w", {draft}), {"x"});
  const Json original = Json::object({{"title", "old"}, {"pages", 3}});
  drive.work(always(succeeded(original)));
  const Review review = open_review(job);
  const auto edit = [&](std::optional<Json> edits) {
    return drive.act(AnswerReview{review.id,
                                  {.outcome = ReviewOutcome::approve_with_edits,
                                   .reviewer = "eve",
                                   .edits = std::move(edits)}});
  };
  expect_error(edit(std::nullopt), ErrorCode::invalid, "review 1: approve_with_edits needs edits");
  expect_error(edit(Json("text")), ErrorCode::invalid, "the edited output must be an object");
  expect_error(edit(Json::object({{"title", "new"}, {"pages", 4}})), ErrorCode::invalid,
               "field 'pages' of stage 'draft' may not be edited; editable: title");
  expect_error(edit(Json::object({{"title", "new"}, {"pages", 3}, {"more", 1}})),
               ErrorCode::invalid, "field 'more'");
  expect_error(edit(Json::object({{"title", "new"}})), ErrorCode::invalid,
               "the edit lacks field \"pages\"");
  EXPECT_EQ(open_review(job).id, review.id) << "nothing of it was written";
  const Json edited = Json::object({{"title", "new"}, {"pages", 3}});
  ASSERT_TRUE(edit(edited));

  const StageOutput output = *drive.records().output(drive.task_of(job, "x"));
  EXPECT_TRUE(output.edited);
  EXPECT_EQ(output.output, edited);
  EXPECT_EQ(drive.records().outputs(drive.item(job, "x").id)->at(0).output, edited);
  EXPECT_EQ((*drive.records().attempts(drive.task_of(job, "x")))[0].output, original);
}

TEST_P(Reviewing, any_recorded_attempt_may_be_approved) {
  StageDefinition draft = with_attempts(stage("draft"), 3);
  draft.gates = {{.name = "good"}};
  draft.retry.on_exhausted = OnExhausted::escalate;
  const JobId job = drive.submit(workflow("w", {draft}), {"x"});
  drive.work([](const Claimed& claimed) -> Work {
    Attempt closed = rejected("poor");
    closed.output = Json(static_cast<int>(claimed.task.attempts));
    return {.closed = closed};
  });
  const Review review = open_review(job);
  EXPECT_EQ(review.reason, ReviewReason::exhausted);
  EXPECT_EQ(review.attempt, 3U);
  const auto approve = [&](AttemptNumber number) {
    return drive.act(AnswerReview{review.id, {.reviewer = "eve", .attempt = number}});
  };
  expect_error(approve(4), ErrorCode::invalid, "no such attempt: 4; attempts are 1 to 3");
  ASSERT_TRUE(approve(2));
  EXPECT_EQ(drive.records().output(drive.task_of(job, "x"))->output, Json(2));
}

TEST_P(Reviewing, a_rejection_wants_a_reason_and_makes_a_dead_letter) {
  const JobId job = drive.submit(workflow("w", {reviewed("a"), stage("b", {"a"})}), {"x"});
  drive.work(always(succeeded()));
  const Review review = open_review(job);
  expect_error(
      drive.act(AnswerReview{review.id, {.outcome = ReviewOutcome::reject, .reviewer = "eve"}}),
      ErrorCode::invalid, "reject needs a note");
  ASSERT_TRUE(say(review, ReviewOutcome::reject));
  EXPECT_EQ(std::get<Failed>(drive.task(job, "x").state).cause, FailCause::rejected_by_review);
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::skipped);
  EXPECT_EQ(drive.job(job).dead_letters, 1);
}

TEST_P(Reviewing, a_rejection_may_end_the_item_and_is_then_no_failure) {
  StageDefinition judged = reviewed("a");
  judged.rejected = OnRejected::end_item;
  const Workflow flow =
      workflow("w", {judged, stage("b", {"a"}), reviewed("beside"), stage("c", {"b", "beside"})});
  const JobId job = drive.submit(flow, {"x"});
  drive.work(always(succeeded()));
  const auto open = *drive.records().reviews({.job = job, .status = ReviewStatus::open});
  const auto review = std::ranges::find(open, drive.task_of(job, "x"), &Review::task);
  ASSERT_NE(review, open.end());
  ASSERT_TRUE(say(*review, ReviewOutcome::reject));
  EXPECT_THAT(*drive.records().reviews({.job = job, .status = ReviewStatus::open}), IsEmpty());
  const Item item = drive.item(job, "x");
  EXPECT_EQ(item.state, ItemState::rejected);
  EXPECT_EQ(item.failed_tasks, 0U);
  for (const std::uint16_t place :
       {std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3}}) {
    EXPECT_EQ(drive.task(job, "x", place).state, TaskState(Cancelled{CancelCause::rejected}));
  }
  const Job ended = drive.job(job);
  EXPECT_EQ(ended.items, (ItemCounts{.total = 1, .rejected = 1}));
  EXPECT_EQ(ended.dead_letters, 0);
  EXPECT_EQ(state_of(ended), JobState::completed);
  expect_error(drive.act(Rerun{.task = drive.task_of(job, "x")}), ErrorCode::refused,
               "was rejected by a reviewer");
  drive.expect_sound();
}

TEST_P(Reviewing, a_rejected_item_is_not_run_again_while_its_data_is_the_same) {
  StageDefinition judged = reviewed("a");
  judged.rejected = OnRejected::end_item;
  const Workflow flow = workflow("w", {judged, stage("b", {"a"})});
  const auto submit = [&](std::string digest) {
    const std::vector<NewItem> one{{.key = "x", .data_sha256 = std::move(digest)}};
    return drive.store()
        .submit({.workflow = flow}, {.items = one, .adopt = true, .close = true})
        ->job.id;
  };
  const JobId before = submit("1");
  drive.work(always(succeeded()));
  ASSERT_TRUE(say(open_review(before), ReviewOutcome::reject));

  const JobId same = submit("1");
  EXPECT_EQ(drive.item(same, "x").state, ItemState::rejected);
  EXPECT_EQ(drive.item(same, "x").adopted_from, drive.item(before, "x").id);
  EXPECT_EQ(drive.job(same).items, (ItemCounts{.total = 1, .rejected = 1, .adopted_rejected = 1}));
  EXPECT_EQ(state_of(drive.job(same)), JobState::completed);
  EXPECT_EQ(shown_counts(drive.job(same), flow, StageIndex{1})[StateKind::cancelled], 1);

  const JobId changed = submit("2");
  EXPECT_EQ(drive.item(changed, "x").state, ItemState::active);
  drive.expect_sound();
}

TEST_P(Reviewing, changes_rerun_everything_from_the_upstream_stage_once_with_the_note) {
  StageDefinition last = reviewed("last", {"middle"});
  last.changes_rerun = "draft";
  const JobId job =
      drive.submit(workflow("w", {stage("draft"), stage("middle", {"draft"}), last}), {"x"});
  EXPECT_EQ(drive.work(always(succeeded(Json("one")))), 3);
  ASSERT_TRUE(say(open_review(job), ReviewOutcome::request_changes));
  const Task draft = drive.task(job, "x");
  EXPECT_EQ(draft.kind(), StateKind::ready);
  EXPECT_EQ(draft.cause, Cause::review_changes);
  EXPECT_EQ(draft.feedback->summary, "because");
  drive.expect_sound();
  EXPECT_EQ(drive.work(always(succeeded(Json("two")))), 3);
  const Review again = open_review(job);
  EXPECT_EQ(again.epoch, 2U);
  ASSERT_TRUE(say(again, ReviewOutcome::approve));
  const std::vector<StageOutput> outputs = *drive.records().outputs(drive.item(job, "x").id);
  for (const StageOutput& output : outputs) {
    EXPECT_EQ(output.output, Json("two"));
    EXPECT_EQ(output.attempt, 2U);
  }
}

TEST_P(Reviewing, a_rerun_supersedes_the_question_and_whoever_answers_is_told) {
  const JobId job = drive.submit(workflow("w", {reviewed("a")}), {"x"});
  drive.work(always(succeeded()));
  const Review review = open_review(job);
  ASSERT_TRUE(drive.act(Rerun{.task = review.task}));
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::superseded);
  expect_error(say(review, ReviewOutcome::approve), ErrorCode::conflict,
               "review 1 was superseded: the work has moved on");
  drive.work(always(succeeded()));
  EXPECT_NE(open_review(job).id, review.id);
}

// an answer that is not effective yet is superseded like an open review
TEST_P(Reviewing, a_rerun_supersedes_an_answer_that_is_not_yet_effective) {
  const JobId job = drive.submit(workflow("w", {reviewed("a")}), {"x"});
  drive.work(always(succeeded()));
  const Review review = open_review(job);
  ASSERT_TRUE(drive.act(
      AnswerReview{review.id, {.reviewer = "eve", .effective_at = drive.clock().now() + 5s}}));
  ASSERT_TRUE(drive.act(Rerun{.task = review.task}));
  drive.clock().advance(10s);
  EXPECT_EQ(drive.store().sweep({})->answered, 0);
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::superseded);
}

// a budget may be used up between an answer and the time it becomes effective
TEST_P(Reviewing, an_answer_that_no_longer_fits_at_its_moment_leaves_the_question_open) {
  const Workflow ask = workflow("w", {reviewed("a")});
  const JobId job =
      drive.submit(ask, {"x", "y"}, {.workflow = ask, .budget = {.max_total_attempts = 2}});
  drive.close(drive.claim(1)[0], succeeded());
  const Review review = open_review(job);
  ASSERT_TRUE(drive.act(AnswerReview{review.id,
                                     {.outcome = ReviewOutcome::request_changes,
                                      .reviewer = "eve",
                                      .note = "shorter",
                                      .effective_at = drive.clock().now() + 5s}}));
  drive.close(drive.claim(1)[0], failed("torn", ErrorClass::final));
  drive.clock().advance(5s);
  EXPECT_EQ(drive.store().sweep({})->answered, 1);
  EXPECT_EQ(open_review(job).id, review.id);
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::awaiting_review);
  EXPECT_EQ(drive.task(job, "x").epoch, 1U);
  ASSERT_TRUE(say(review, ReviewOutcome::approve));
}

TEST_P(Reviewing, an_answer_whose_job_was_cancelled_before_its_moment_changes_nothing) {
  const JobId job = drive.submit(workflow("w", {reviewed("a"), stage("b", {"a"})}), {"x"});
  drive.work(always(succeeded()));
  const Review review = open_review(job);
  ASSERT_TRUE(drive.act(
      AnswerReview{review.id, {.reviewer = "eve", .effective_at = drive.clock().now() + 5s}}));
  ASSERT_TRUE(drive.act(CancelJob{job}));
  drive.clock().advance(5s);
  ASSERT_TRUE(drive.store().sweep({}));
  EXPECT_EQ(drive.records().review(review.id)->status, ReviewStatus::superseded);
  EXPECT_FALSE(drive.records().task(drive.task_of(job, "x", 1))) << "nothing was released";
}

TEST_P(Reviewing, stays_possible_in_a_paused_job_and_not_in_a_cancelled_one) {
  const JobId job = drive.submit(workflow("w", {reviewed("a")}), {"x", "y"});
  drive.work(always(succeeded()));
  const auto open = *drive.records().reviews({.job = job});
  ASSERT_TRUE(drive.act(PauseJob{job}));
  ASSERT_TRUE(say(open[0], ReviewOutcome::approve));
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::succeeded);
  ASSERT_TRUE(drive.act(CancelJob{job}));
  expect_error(say(open[1], ReviewOutcome::approve), ErrorCode::refused,
               "the job of review 2 was cancelled");
}

}  // namespace
}  // namespace pawl::driving
