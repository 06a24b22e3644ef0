#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"
#include "pawl/core/job.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

Job any_job() {
  Job job;
  job.id = JobId{1};
  job.submitted_at = given::noon;
  job.last_progress_at = given::noon;
  return job;
}

TEST(MayOpen, each_budget_is_named_when_it_is_used_up) {
  Job job = any_job();
  EXPECT_TRUE(may_open(job, given::noon).yes);
  const auto reached = [&](Timestamp now) {
    const MayOpen answer = may_open(job, now);
    EXPECT_FALSE(answer.yes);
    return answer.budget;
  };
  job.budget.no_progress_decisions = 50;
  job.decisions_since_progress = 49;
  EXPECT_TRUE(may_open(job, given::noon).yes);
  job.decisions_since_progress = 50;
  EXPECT_EQ(reached(given::noon), BudgetKind::no_progress);
  job.decisions_since_progress = 0;
  job.budget.no_progress = 60s;
  EXPECT_TRUE(may_open(job, given::noon + 60s).yes);
  EXPECT_EQ(reached(given::noon + 61s), BudgetKind::no_progress);
  job.budget.tokens = 100;
  job.used.tokens = 100;
  EXPECT_EQ(reached(given::noon), BudgetKind::tokens);
  job.budget.cost_microusd = 5;
  job.used.cost_microusd = 6;
  EXPECT_EQ(reached(given::noon), BudgetKind::cost);
  job.budget.max_total_attempts = 10;
  job.attempts_opened = 10;
  EXPECT_EQ(reached(given::noon), BudgetKind::total_attempts);
  job.deadline_at = given::noon + 1h;
  EXPECT_EQ(reached(given::noon + 1h), BudgetKind::deadline);
}

// I11
TEST(MayOpen, nothing_opens_in_a_job_that_is_cancelled_paused_or_ended) {
  Job cancelled = any_job();
  cancelled.cancelled = CancelCause::requested;
  Job paused = any_job();
  paused.paused = PauseCause::requested;
  Job ended = any_job();
  ended.ended_at = given::noon;
  for (const Job& job : {cancelled, paused, ended}) {
    EXPECT_FALSE(may_open(job, given::noon).yes);
    EXPECT_EQ(may_open(job, given::noon).budget, BudgetKind::none);
  }
}

TEST(Exhaust, pauses_by_default_once_and_a_raised_budget_goes_on) {
  Job job = any_job();
  job.budget.max_total_attempts = 10;
  job.attempts_opened = 10;
  std::vector<Event> events;
  exhaust(job, BudgetKind::total_attempts, given::noon, events);
  const Generation paused = job.generation;
  exhaust(job, BudgetKind::total_attempts, given::noon, events);
  EXPECT_EQ(job.paused, PauseCause::budget);
  EXPECT_GT(paused, 1);
  EXPECT_EQ(job.generation, paused);
  EXPECT_EQ(state_of(job), JobState::paused);
  ASSERT_THAT(given::types_of(events),
              ElementsAre(EventType::budget_reached, EventType::job_paused));
  EXPECT_EQ(events[0].code, static_cast<int>(BudgetKind::total_attempts));
  job.budget.max_total_attempts = 20;
  job.paused = PauseCause::none;
  EXPECT_TRUE(may_open(job, given::noon).yes);
}

TEST(Exhaust, says_why_it_paused) {
  const auto cause = [](BudgetKind kind) {
    Job job = any_job();
    std::vector<Event> events;
    exhaust(job, kind, given::noon, events);
    return job.paused;
  };
  EXPECT_EQ(cause(BudgetKind::deadline), PauseCause::deadline);
  EXPECT_EQ(cause(BudgetKind::no_progress), PauseCause::no_progress);
  EXPECT_EQ(cause(BudgetKind::cost), PauseCause::budget);
  EXPECT_EQ(cause(BudgetKind::tokens), PauseCause::budget);
}

// The rest is Cancelled(deadline).
TEST(Exhaust, fails_where_the_budget_says_so_even_while_paused) {
  Job job = any_job();
  job.budget.exhausted = OnBudgetEnd::fail;
  job.paused = PauseCause::requested;
  std::vector<Event> events;
  exhaust(job, BudgetKind::deadline, given::noon, events);
  EXPECT_EQ(job.cancelled, CancelCause::deadline);
  EXPECT_EQ(state_of(job), JobState::failed);
  EXPECT_THAT(given::types_of(events), ElementsAre(EventType::budget_reached));

  Job other = any_job();
  other.budget.exhausted = OnBudgetEnd::fail;
  exhaust(other, BudgetKind::tokens, given::noon, events);
  EXPECT_EQ(other.cancelled, CancelCause::budget);
}

TEST(Exhaust, changes_nothing_in_a_job_that_is_already_over) {
  Job job = any_job();
  job.cancelled = CancelCause::requested;
  std::vector<Event> events;
  exhaust(job, BudgetKind::deadline, given::noon, events);
  EXPECT_EQ(job.cancelled, CancelCause::requested);
  EXPECT_THAT(events, IsEmpty());
}

// I18
TEST(MayOpen, an_untrusted_job_opens_nothing_whatever_else_it_says) {
  Job job = any_job();
  for (const Trust trust : {Trust::own, Trust::accepted}) {
    job.trust = trust;
    EXPECT_TRUE(may_open(job, given::noon).yes);
  }
  for (const Trust trust : {Trust::untrusted, Trust::abandoned}) {
    job.trust = trust;
    const MayOpen answer = may_open(job, given::noon + 1000h);
    EXPECT_FALSE(answer.yes);
    EXPECT_EQ(answer.budget, BudgetKind::none) << "no budget ends it either";
    EXPECT_FALSE(waits_for_people(job));
  }
}

}  // namespace
}  // namespace pawl
