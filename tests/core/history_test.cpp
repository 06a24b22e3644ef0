// Random histories of one task: any events in any order.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;

RetryPolicy any_policy() {
  RetryPolicy policy;
  if (*rc::gen::arbitrary<bool>()) {
    policy.retry_attempts = *rc::gen::inRange<std::uint32_t>(1, 5);
    policy.refine_attempts = *rc::gen::inRange<std::uint32_t>(1, 5);
  } else {
    policy.max_attempts = *rc::gen::inRange<std::uint32_t>(1, 7);
  }
  policy.backoff = {.initial = Duration(*rc::gen::element<std::int64_t>(0, 1'000'000)),
                    .jitter = *rc::gen::element(0.0, 0.3)};
  policy.on_exhausted = *rc::gen::element(OnExhausted::fail, OnExhausted::escalate);
  policy.max_rate_limit_waits = *rc::gen::inRange<std::uint32_t>(0, 4);
  policy.max_interruptions = *rc::gen::inRange<std::uint32_t>(0, 4);
  return policy;
}

/// Mostly results that allow another attempt, so that histories get long; sometimes results that
/// end them.
Attempt any_attempt() {
  switch (*rc::gen::inRange(0, 16)) {
    case 0:
      return given::success();
    case 1:
      return given::judged(Verdict::accepted);
    case 2:
      return given::judged(Verdict::uncertain);
    case 3:
      return given::failure(ErrorClass::final);
    case 4:
      return given::attempt(AttemptResult::needs_review);
    case 5:
      return given::timed_out();
    case 6:
      return given::rate_limited({});
    case 7:
    case 8:
      return given::rate_limited(Duration(1s));
    case 9:
    case 10: {
      Attempt closed = given::attempt(AttemptResult::interrupted);
      closed.graceful = *rc::gen::arbitrary<bool>();
      closed.ran = *rc::gen::arbitrary<bool>();
      return closed;
    }
    case 11:
    case 12:
      return given::judged(Verdict::rejected);
    case 13: {
      Attempt closed = given::failure();
      closed.error->kind = ErrorKind::protocol;
      return closed;
    }
    default:
      return given::failure();
  }
}

void check_step(const StageDefinition& stage, const Task& before, const Step& step) {
  const RetryPolicy& policy = stage.retry;
  const Counts& counts = step.next.counts;
  RC_ASSERT(may_move(step.was, step.next.kind()));
  RC_ASSERT(step.expected == before.version);
  RC_ASSERT(decide(stage, *step.closed) == step.closed->decision);
  RC_ASSERT(counts.failures <= policy.failures_max());
  RC_ASSERT(counts.rejections <= policy.rejections_max());
  if (!policy.has_separate_caps()) {
    RC_ASSERT(counts.failures + counts.rejections <= policy.max_attempts);
  }
  RC_ASSERT(step.events.size() <= 16U);
  RC_ASSERT((step.flow == Flow::none) == !has_ended(step.next.state));
  RC_ASSERT(step.review.has_value() == (step.next.kind() == StateKind::awaiting_review));
  if (const auto* later = std::get_if<RetryScheduled>(&step.next.state)) {
    RC_ASSERT(later->next_run_at > step.closed->ended_at);
  }
}

// I3, I5, I6, I9
TEST(History, counts_keep_their_caps_numbers_are_dense_and_decisions_repeat) {
  EXPECT_TRUE(rc::check([] {
    const StageDefinition stage = given::stage(
        any_policy(), *rc::gen::element(ReviewPolicy::never, ReviewPolicy::on_escalation));
    std::vector<Event> events;
    Task task = given::ready_task();
    Timestamp now = given::noon;
    for (AttemptNumber number = 1; number <= 60 && task.kind() == StateKind::ready; ++number) {
      task = open(stage, task, given::worker, now, events);
      RC_ASSERT(task.attempts == number);
      Attempt closed = any_attempt();
      closed.ended_at = now + 1s;
      const Step step = close(stage, task, closed);
      check_step(stage, task, step);
      task = step.next;
      now = step.closed->ended_at;
      if (const auto* later = std::get_if<RetryScheduled>(&task.state)) {
        now = later->next_run_at;
        task = wake(task);
      }
    }
    if (task.kind() == StateKind::ready) return;  // sixty attempts that used no retry
    RC_ASSERT(has_ended(task.state) || task.kind() == StateKind::awaiting_review);
  }));
}

// After a crash or a rate limit the remote side sees the same key.
TEST(History, the_idempotency_key_changes_exactly_when_new_work_is_wanted) {
  EXPECT_TRUE(rc::check([] {
    RetryPolicy policy = RetryPolicy::service();
    policy.max_interruptions = 0;
    const StageDefinition stage = given::stage(policy);
    const Task task = given::running_task();
    const Step step = close(stage, task, any_attempt());
    if (step.closed->decision.kind != DecisionKind::retry) return;
    const bool wants_new = step.closed->verdict == Verdict::rejected ||
                           (step.closed->error && step.closed->error->kind == ErrorKind::protocol);
    RC_ASSERT((idempotency_key(step.next, "a", "scan") != idempotency_key(task, "a", "scan")) ==
              wants_new);
  }));
}

TEST(IdempotencyKey, names_job_item_stage_epoch_and_round) {
  Task task = given::ready_task();
  task.epoch = 2;
  task.round = 3;
  EXPECT_EQ(idempotency_key(task, "invoice-9", "scan"), "1/invoice-9/scan/2.3");
  task.child = ChildPart{.parent = TaskId{9}, .expansion = 4, .key = "page-1", .data = {}};
  EXPECT_EQ(idempotency_key(task, "invoice-9", "scan"), "1/invoice-9/scan/page-1@4/2.3");
}

}  // namespace
}  // namespace pawl
