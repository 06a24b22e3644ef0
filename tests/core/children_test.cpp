#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum EventType;

Task parent() {
  Task task = given::in_state(Expanded{.children = 5, .open = 1});
  task.attempts = 2;
  return task;
}

TEST(Expansion, children_are_created_with_the_close_of_their_parents_attempt) {
  const Step step = close(given::stage(), given::running_task(),
                          given::attempt(AttemptResult::expanded), {{"a", {}}, {"b", {}}});
  EXPECT_EQ(step.next.state, TaskState(Expanded{.children = 2, .open = 2}));
  EXPECT_EQ(step.next.expansion, 1U);
  EXPECT_EQ(step.children.size(), 2U);
  EXPECT_EQ(step.flow, Flow::none);
  ASSERT_THAT(given::types_of(step.events), ElementsAre(attempt_finished, task_expanded));
  EXPECT_EQ(step.events[1].count, 2);
}

TEST(Expansion, without_children_it_is_done_or_joined_at_once) {
  const Attempt expanded = given::attempt(AttemptResult::expanded);
  const Step plain = close(given::stage(), given::running_task(), expanded);
  EXPECT_EQ(plain.next.state, TaskState(Succeeded{.attempt = 1}));
  EXPECT_EQ(plain.flow, Flow::satisfied);
  StageDefinition joining = given::stage();
  joining.joins = true;
  const Step joined = close(joining, given::running_task(), expanded);
  EXPECT_EQ(joined.next.kind(), StateKind::ready);
  EXPECT_EQ(joined.next.cause, Cause::join);
}

TEST(ChildrenEnded, the_parent_succeeds_with_its_newest_attempt) {
  const Step step = children_ended(given::stage(), parent(), {.children = 5}, given::noon);
  EXPECT_EQ(step.was, StateKind::expanded);
  EXPECT_EQ(step.next.state, TaskState(Succeeded{.attempt = 2}));
  EXPECT_EQ(step.flow, Flow::satisfied);
}

TEST(ChildrenEnded, a_parent_with_gates_a_join_or_review_is_opened_once_more) {
  StageDefinition gated = given::stage();
  gated.gates = {{.name = "schema"}};
  StageDefinition joining = given::stage();
  joining.joins = true;
  for (const StageDefinition& stage : {gated, joining, given::stage({}, ReviewPolicy::always)}) {
    const Step step = children_ended(stage, parent(), {.children = 5}, given::noon);
    EXPECT_EQ(step.next.kind(), StateKind::ready);
    EXPECT_EQ(step.next.cause, Cause::join);
    EXPECT_EQ(step.flow, Flow::none);
  }
}

TEST(ChildrenEnded, without_a_tolerance_one_failure_fails_the_parent_and_the_counts_are_named) {
  const Step step = children_ended(given::stage(), parent(),
                                   {.children = 5, .open = 2, .failed = 1}, given::noon);
  EXPECT_EQ(step.next.state, TaskState(Failed{.cause = FailCause::tolerance}));
  EXPECT_EQ(step.flow, Flow::broken);
  ASSERT_THAT(given::types_of(step.events), ElementsAre(task_failed, item_dead_lettered));
  EXPECT_THAT(step.events[0].text, HasSubstr("1 of 5 children failed"));
}

TEST(ChildrenEnded, a_tolerance_bears_as_many_as_it_says_and_not_one_more) {
  StageDefinition stage = given::stage();
  stage.tolerate_failures.count = 2;
  const auto kind_with = [&](std::int64_t failed) {
    return children_ended(stage, parent(), {.children = 5, .failed = failed}, given::noon)
        .next.kind();
  };
  EXPECT_EQ(kind_with(2), StateKind::succeeded);
  EXPECT_EQ(kind_with(3), StateKind::failed);
  stage.tolerate_failures = {.count = {}, .percent = 40.0};
  EXPECT_EQ(kind_with(2), StateKind::succeeded);
  EXPECT_EQ(kind_with(3), StateKind::failed);
}

// A join rejected by its gate reruns the parent, a new expansion.
TEST(ChildrenEnded, a_rejected_join_expands_anew) {
  StageDefinition stage = given::stage({.max_attempts = 3});
  stage.gates = {{.name = "schema"}};
  Task task = parent();
  task.expansion = 1;
  std::vector<Event> events;
  const Step joined = children_ended(stage, task, {.children = 5}, given::noon);
  const Task judged = open(stage, joined.next, given::worker, given::noon, events);
  EXPECT_EQ(judged.cause, Cause::join);
  const Step rejected = close(stage, judged, given::judged(Verdict::rejected));
  EXPECT_EQ(rejected.next.cause, Cause::gate_feedback);
  const Task again = open(stage, rejected.next, given::worker, given::noon, events);
  const Step expanded = close(stage, again, given::attempt(AttemptResult::expanded), {{"a", {}}});
  EXPECT_EQ(expanded.next.expansion, 2U);
}

}  // namespace
}  // namespace pawl
