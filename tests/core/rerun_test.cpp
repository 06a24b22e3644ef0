#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

StageIndex index(std::size_t i) { return static_cast<StageIndex>(i); }

const Step* step_for(const std::vector<Step>& steps, std::size_t stage) {
  const auto found = std::ranges::find_if(
      steps, [&](const Step& step) { return step.next.stage() == index(stage); });
  return found == steps.end() ? nullptr : &*found;
}

/// scan → read → {check, price} → export; `check` and `price` also need `scan`, and `export` needs
/// `stamp`, a stage outside.
Workflow invoices() {
  return given::workflow({given::node("scan"), given::node("read", {"scan"}),
                          given::node("check", {"read", "scan"}), given::node("price", {"read"}),
                          given::node("stamp"),
                          given::node("export", {"check", "price", "stamp"})});
}

std::vector<Task> all_succeeded(const Workflow& workflow) {
  std::vector<Task> tasks;
  for (std::size_t i = 0; i < workflow.stage_count(); ++i) {
    tasks.push_back(given::in_state(Succeeded{.attempt = 1}, index(i)));
  }
  return tasks;
}

// Everything between runs again once, with the note as feedback.
TEST(Rerun, the_stage_is_ready_and_everything_downstream_waits_in_a_new_epoch) {
  const Workflow workflow = invoices();
  std::vector<Task> tasks = all_succeeded(workflow);
  tasks[2].counts.failures = 2;
  tasks[2].feedback = Feedback{.summary = "old"};
  const Feedback note{.summary = "use the second page"};
  const auto steps = rerun(workflow, index(1), tasks, Cause::review_changes, note, given::noon);
  ASSERT_THAT(steps, SizeIs(4));
  const Step* read = step_for(steps, 1);
  ASSERT_NE(read, nullptr);
  EXPECT_EQ(read->next.kind(), StateKind::ready);
  EXPECT_EQ(read->next.feedback, note);
  EXPECT_EQ(read->next.cause, Cause::review_changes);
  for (const Step& step : steps) {
    EXPECT_TRUE(may_move(step.was, step.next.kind()));
    EXPECT_EQ(step.next.epoch, 2U);
    EXPECT_EQ(step.next.round, 1U);
    EXPECT_EQ(step.next.counts, Counts{});
    EXPECT_EQ(step.next.attempts, 1U);
    EXPECT_EQ(step.flow, Flow::none);
    if (&step != read) {
      EXPECT_FALSE(step.next.feedback);
    }
  }
  EXPECT_EQ(step_for(steps, 0), nullptr);
  EXPECT_EQ(step_for(steps, 4), nullptr);
}

TEST(Rerun, the_masks_keep_only_the_satisfied_needs_outside_the_rerun) {
  const Workflow workflow = invoices();
  const auto steps =
      rerun(workflow, index(1), all_succeeded(workflow), Cause::manual, {}, given::noon);
  EXPECT_EQ(step_for(steps, 2)->next.state, TaskState(Waiting{.satisfied = 0b10}));  // scan
  EXPECT_EQ(step_for(steps, 3)->next.state, TaskState(Waiting{.satisfied = 0}));
  EXPECT_EQ(step_for(steps, 5)->next.state, TaskState(Waiting{.satisfied = 0b100}));  // stamp
}

// The count is full once each need of the rerun is satisfied again, and not earlier.
TEST(Rerun, a_mask_is_full_exactly_when_the_reruns_needs_come_again) {
  const Workflow workflow = invoices();
  const auto steps =
      rerun(workflow, index(1), all_succeeded(workflow), Cause::manual, {}, given::noon);
  const auto mask = std::get<Waiting>(step_for(steps, 5)->next.state).satisfied;
  EXPECT_NE(mask | 0b01U, workflow.plan(index(5)).full_mask);
  EXPECT_EQ(mask | 0b11U, workflow.plan(index(5)).full_mask);
}

// A failed, B and C were never stored; the retry of A needs one step only.
TEST(Rerun, a_dead_letter_with_nothing_stored_downstream_is_one_step) {
  const Workflow workflow =
      given::workflow({given::node("a"), given::node("b", {"a"}), given::node("c", {"b"})});
  const auto steps =
      rerun(workflow, index(0), {given::in_state(Failed{})}, Cause::manual, {}, given::noon);
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].was, StateKind::failed);
  EXPECT_EQ(steps[0].next.kind(), StateKind::ready);
  ASSERT_THAT(given::types_of(steps[0].events), ElementsAre(EventType::retry_scheduled));
  EXPECT_EQ(steps[0].events[0].attempt, 2U);
  EXPECT_EQ(steps[0].events[0].code, static_cast<int>(Cause::manual));
}

TEST(Rerun, needs_that_are_not_satisfied_leave_the_stage_waiting) {
  const Workflow workflow =
      given::workflow({given::node("a"), given::node("b"), given::node("c", {"a", "b"})});
  const std::vector<Task> tasks{given::in_state(Succeeded{}, index(0)),
                                given::in_state(RetryScheduled{}, index(1)),
                                given::in_state(Waiting{.satisfied = 1}, index(2))};
  const auto steps = rerun(workflow, index(2), tasks, Cause::manual, {}, given::noon);
  ASSERT_THAT(steps, SizeIs(1));
  EXPECT_EQ(steps[0].next.state, TaskState(Waiting{.satisfied = 0b01}));
  EXPECT_THAT(steps[0].events, IsEmpty());
}

// I7: two failures upstream, one of them retried.
TEST(Rerun, what_another_failure_still_holds_back_stays_skipped_with_everything_after_it) {
  const Workflow workflow =
      given::workflow({given::node("a"), given::node("b"), given::node("c", {"a", "b"}),
                       given::node("d", {"c"}), given::node("e", {"a"})});
  const Skipped held_back{SkipReason::upstream_failed};
  const std::vector<Task> tasks{
      given::in_state(Failed{}, index(0)), given::in_state(Failed{}, index(1)),
      given::in_state(held_back, index(2)), given::in_state(held_back, index(3)),
      given::in_state(held_back, index(4))};
  const auto steps = rerun(workflow, index(0), tasks, Cause::manual, {}, given::noon);
  ASSERT_THAT(steps, SizeIs(4));
  EXPECT_EQ(step_for(steps, 0)->next.kind(), StateKind::ready);
  EXPECT_EQ(step_for(steps, 2)->next.state, TaskState(held_back));
  EXPECT_EQ(step_for(steps, 3)->next.state, TaskState(held_back));
  EXPECT_EQ(step_for(steps, 4)->next.state, TaskState(Waiting{}));
  for (const Step& step : steps) EXPECT_TRUE(may_move(step.was, step.next.kind()));
}

// I7
TEST(Rerun, what_satisfies_a_need_is_success_a_chosen_skip_or_a_failure_to_proceed_after) {
  const auto is_ready_after = [](TaskState need, OnFailure on_failure) {
    StageDefinition first = given::node("a");
    first.on_failure = on_failure;
    const Workflow workflow = given::workflow({first, given::node("b", {"a"})});
    const auto steps =
        rerun(workflow, index(1),
              {given::in_state(std::move(need), index(0)), given::in_state(Failed{}, index(1))},
              Cause::manual, {}, given::noon);
    return steps[0].next.kind() == StateKind::ready;
  };
  EXPECT_TRUE(is_ready_after(Succeeded{}, OnFailure::dead_letter));
  EXPECT_TRUE(is_ready_after(Skipped{SkipReason::by_choice}, OnFailure::dead_letter));
  EXPECT_TRUE(is_ready_after(Failed{}, OnFailure::proceed));
  EXPECT_FALSE(is_ready_after(Failed{}, OnFailure::dead_letter));
  EXPECT_FALSE(is_ready_after(Failed{}, OnFailure::stop_job));
  EXPECT_FALSE(is_ready_after(Skipped{SkipReason::upstream_failed}, OnFailure::dead_letter));
  EXPECT_FALSE(is_ready_after(Cancelled{}, OnFailure::proceed));
  EXPECT_FALSE(is_ready_after(AwaitingReview{}, OnFailure::proceed));
}

// I4, I6: the running attempt is closed as superseded, and the decision can be repeated from the
// record
TEST(Rerun, a_running_attempt_downstream_is_closed_and_fenced) {
  const Workflow workflow = given::workflow({given::node("a"), given::node("b", {"a"})});
  const Task running = given::running_task(3, index(1));
  const auto steps =
      rerun(workflow, index(0), {given::in_state(Succeeded{.attempt = 1}, index(0)), running},
            Cause::manual, {}, given::noon + 1s);
  const Step* step = step_for(steps, 1);
  ASSERT_NE(step, nullptr);
  ASSERT_TRUE(step->closed);
  EXPECT_EQ(step->closed->result, AttemptResult::interrupted);
  EXPECT_TRUE(step->closed->graceful);
  EXPECT_EQ(step->closed->number, 3U);
  EXPECT_EQ(step->closed->epoch, 1U);
  EXPECT_EQ(step->closed->ended_at, given::noon + 1s);
  EXPECT_EQ(step->closed->decision.rule, Rule::superseded);
  EXPECT_EQ(step->closed->decision.kind, DecisionKind::cancel);
  EXPECT_EQ(decide(workflow.stage(index(1)), *step->closed), step->closed->decision);
  EXPECT_EQ(step->next.state, TaskState(Waiting{}));
  EXPECT_EQ(step->next.attempts, 3U);
  EXPECT_EQ(step->next.epoch, 2U);
}

TEST(Rerun, a_job_wide_stage_runs_again_without_its_items) {
  const Workflow workflow =
      given::workflow({given::node("a"), given::node("sum", {"a"}, Scope::all),
                       given::node("mail", {"sum", "a"}, Scope::all)});
  const auto steps = rerun(workflow, index(1),
                           {given::in_state(Failed{}, index(1)),
                            given::in_state(Skipped{SkipReason::upstream_failed}, index(2))},
                           Cause::manual, {}, given::noon);
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(steps[0].next.kind(), StateKind::ready);
  EXPECT_EQ(steps[1].next.state, TaskState(Waiting{.satisfied = 0b10}));
}

// Attempt numbers continue across epochs.
TEST(Rerun, attempt_numbers_go_on_and_the_key_is_new) {
  const StageDefinition stage = given::node("a");
  const Workflow workflow = given::workflow({stage});
  Task failed = given::in_state(Failed{});
  failed.attempts = 4;
  const auto steps = rerun(workflow, index(0), {failed}, Cause::manual, {}, given::noon);
  std::vector<Event> events;
  const Task opened = open(stage, steps[0].next, given::worker, given::noon, events);
  EXPECT_EQ(opened.attempts, 5U);
  EXPECT_EQ(opened.counts.attempts, 1U);
  EXPECT_EQ(idempotency_key(opened, "x", "a"), "1/x/a/2.1");
}

}  // namespace
}  // namespace pawl
