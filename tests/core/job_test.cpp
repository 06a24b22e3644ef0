#include "pawl/core/job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/given.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using enum StateKind;

StageIndex index(std::size_t i) { return static_cast<StageIndex>(i); }

/// Two item stages, then two job-wide ones in a row.
Workflow reducing() {
  return given::workflow({given::node("a"), given::node("b", {"a"}),
                          given::node("sum", {"a"}, Scope::all),
                          given::node("mail", {"sum"}, Scope::all)});
}

Job job_of(const Workflow& workflow, std::int64_t items = 0) {
  Job job;
  job.id = JobId{1};
  job.submitted_at = given::noon;
  job.last_progress_at = given::noon;
  job.submission_open = false;
  job.items.total = items;
  job.stages.resize(workflow.stage_count());
  job.children.resize(workflow.stage_count());
  return job;
}

TEST(JobState, runs_or_is_paused_until_it_has_ended) {
  Job job = job_of(given::workflow({given::node("a")}), 1);
  EXPECT_EQ(state_of(job), JobState::running);
  job.failed_tasks = 1;
  EXPECT_EQ(state_of(job), JobState::running);
  job.paused = PauseCause::budget;
  EXPECT_EQ(state_of(job), JobState::paused);
}

TEST(JobState, at_the_end_any_failed_task_makes_it_failed) {
  Job job = job_of(given::workflow({given::node("a")}), 1);
  job.ended_at = given::noon;
  EXPECT_EQ(state_of(job), JobState::completed);
  job.failed_tasks = 1;
  EXPECT_EQ(state_of(job), JobState::failed);
}

// The cancel is shown while attempts still run.
TEST(JobState, a_cancel_shows_at_once_and_a_limit_that_ended_it_shows_as_failed) {
  Job job = job_of(given::workflow({given::node("a")}), 1);
  job.attempts_open = 1;
  job.cancelled = CancelCause::requested;
  EXPECT_EQ(state_of(job), JobState::cancelled);
  for (const CancelCause cause : {CancelCause::deadline, CancelCause::budget,
                                  CancelCause::tolerance, CancelCause::stop_job}) {
    job.cancelled = cause;
    EXPECT_EQ(state_of(job), JobState::failed);
  }
}

TEST(JobState, waits_for_people_when_only_reviews_are_left) {
  Job job = job_of(reducing(), 2);
  job.stages[0][awaiting_review] = 1;
  job.stages[1][waiting] = 1;
  EXPECT_TRUE(waits_for_people(job));
  for (const StateKind busy : {ready, running, retry_scheduled}) {
    Job other = job;
    other.stages[1][busy] = 1;
    EXPECT_FALSE(waits_for_people(other));
    other = job;
    other.children[1][busy] = 1;
    EXPECT_FALSE(waits_for_people(other));
  }
  job.submission_open = true;
  EXPECT_FALSE(waits_for_people(job));
  job.submission_open = false;
  job.stages[0][awaiting_review] = 0;
  EXPECT_FALSE(waits_for_people(job));
}

TEST(ShownCounts, what_has_no_row_waits_and_the_adopted_have_succeeded) {
  const Workflow workflow = reducing();
  Job job = job_of(workflow, 10);
  job.items.adopted = 2;
  job.stages[1][waiting] = 1;
  job.stages[1][running] = 3;
  const StateCounts shown = shown_counts(job, workflow, index(1));
  EXPECT_EQ(shown[waiting], 5);
  EXPECT_EQ(shown[running], 3);
  EXPECT_EQ(shown[succeeded], 2);
  EXPECT_EQ(shown_counts(job, workflow, index(2))[waiting], 1);
}

TEST(ShownCounts, everything_unfinished_of_a_cancelled_job_shows_as_cancelled) {
  const Workflow workflow = reducing();
  Job job = job_of(workflow, 10);
  job.stages[0][succeeded] = 4;
  job.stages[0][running] = 1;
  job.stages[0][ready] = 2;
  job.stages[0][awaiting_review] = 1;
  job.cancelled = CancelCause::requested;
  const StateCounts shown = shown_counts(job, workflow, index(0));
  EXPECT_EQ(shown[cancelled], 5);
  EXPECT_EQ(shown[running], 1);
  EXPECT_EQ(shown[succeeded], 4);
  EXPECT_EQ(shown[waiting], 0);
}

TEST(Advance, ends_a_job_once_when_all_items_are_settled) {
  const Workflow workflow = given::workflow({given::node("a")});
  Job job = job_of(workflow, 2);
  std::vector<Event> events;
  job.items.succeeded = 1;
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
  EXPECT_FALSE(job.has_ended());
  job.items.failed = 1;
  job.failed_tasks = 1;
  (void)advance(job, workflow, given::noon + 1s, events);
  (void)advance(job, workflow, given::noon + 2s, events);
  EXPECT_EQ(job.ended_at, given::noon + 1s);
  ASSERT_THAT(given::types_of(events), ElementsAre(EventType::job_finished));
  EXPECT_EQ(events[0].code, static_cast<int>(JobState::failed));
}

TEST(Advance, an_open_submission_keeps_the_job_running) {
  const Workflow workflow = given::workflow({given::node("a")});
  Job job = job_of(workflow);
  job.submission_open = true;
  std::vector<Event> events;
  (void)advance(job, workflow, given::noon, events);
  EXPECT_FALSE(job.has_ended());
  job.submission_open = false;
  (void)advance(job, workflow, given::noon, events);
  EXPECT_EQ(state_of(job), JobState::completed);
}

// An ended job is Running again after a rerun.
TEST(Advance, a_reopened_job_loses_its_end) {
  const Workflow workflow = given::workflow({given::node("a")});
  Job job = job_of(workflow, 1);
  job.items.failed = 1;
  std::vector<Event> events;
  (void)advance(job, workflow, given::noon, events);
  ASSERT_TRUE(job.has_ended());
  job.items.failed = 0;
  (void)advance(job, workflow, given::noon, events);
  EXPECT_FALSE(job.has_ended());
  EXPECT_EQ(state_of(job), JobState::running);
}

TEST(Advance, a_cancelled_job_ends_when_its_last_attempt_has) {
  const Workflow workflow = reducing();
  Job job = job_of(workflow, 5);
  job.cancelled = CancelCause::requested;
  job.attempts_open = 1;
  std::vector<Event> events;
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
  EXPECT_FALSE(job.has_ended());
  job.attempts_open = 0;
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
  EXPECT_TRUE(job.has_ended());
  EXPECT_EQ(events.back().code, static_cast<int>(JobState::cancelled));
}

TEST(Advance, too_many_failed_items_give_up_the_rest) {
  const Workflow workflow = given::workflow({given::node("a")});
  Job job = job_of(workflow, 10);
  job.tolerate_failures.count = 2;
  job.items.failed = 2;
  std::vector<Event> events;
  (void)advance(job, workflow, given::noon, events);
  EXPECT_FALSE(job.cancelled);
  job.items.failed = 3;
  (void)advance(job, workflow, given::noon, events);
  EXPECT_EQ(job.cancelled, CancelCause::tolerance);
  EXPECT_GT(job.generation, 1);
  EXPECT_EQ(state_of(job), JobState::failed);
  EXPECT_THAT(given::types_of(events),
              ElementsAre(EventType::job_cancelled, EventType::job_finished));
}

TEST(Tolerance, a_percentage_is_judged_once_the_total_is_known) {
  const Tolerance tenth{.count = {}, .percent = 10.0};
  EXPECT_FALSE(tenth.is_exceeded(1, 1, false));
  EXPECT_TRUE(tenth.is_exceeded(1, 1, true));
  EXPECT_FALSE(tenth.is_exceeded(1, 10, true));
  EXPECT_TRUE(tenth.is_exceeded(2, 19, true));
  EXPECT_FALSE(tenth.is_exceeded(0, 0, true));
  EXPECT_TRUE((Tolerance{.count = 0, .percent = {}}.is_exceeded(1, 100, false)));
  EXPECT_FALSE((Tolerance{}.is_exceeded(100, 100, true)));
}

TEST(Reduce, a_job_wide_stage_is_released_when_its_need_has_ended_for_every_item) {
  const Workflow workflow = reducing();
  Job job = job_of(workflow, 10);
  job.items.adopted = 2;
  job.items.succeeded = 2;
  job.stages[0][succeeded] = 5;
  job.stages[0][failed] = 1;
  job.stages[0][cancelled] = 1;
  std::vector<Event> events;
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
  job.stages[0][skipped] = 1;
  EXPECT_THAT(advance(job, workflow, given::noon, events), ElementsAre(index(2)));
  job.submission_open = true;
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
}

TEST(Reduce, runs_also_with_no_items_and_the_job_ends_after_it) {
  const Workflow workflow = reducing();
  Job job = job_of(workflow);
  std::vector<Event> events;
  EXPECT_THAT(advance(job, workflow, given::noon, events), ElementsAre(index(2)));
  EXPECT_FALSE(job.has_ended());
  job.stages[2][waiting] = 1;  // a waiting row has not been released either
  EXPECT_THAT(advance(job, workflow, given::noon, events), ElementsAre(index(2)));
  job.stages[2][waiting] = 0;
  job.stages[2][running] = 1;
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
  job.stages[2][running] = 0;
  job.stages[2][succeeded] = 1;
  EXPECT_THAT(advance(job, workflow, given::noon, events), ElementsAre(index(3)));
  job.stages[3][succeeded] = 1;
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
  EXPECT_TRUE(job.has_ended());
}

// An item that was cancelled before it got a row blocks nothing.
TEST(Reduce, settled_items_have_ended_every_stage) {
  const Workflow workflow = reducing();
  Job job = job_of(workflow, 2);
  job.items.cancelled = 2;
  std::vector<Event> events;
  EXPECT_THAT(advance(job, workflow, given::noon, events), ElementsAre(index(2)));
}

TEST(Reduce, a_job_wide_stage_that_failed_or_was_skipped_for_a_failure_releases_nothing) {
  const Workflow workflow =
      given::workflow({given::node("sum", {}, Scope::all), given::node("mail", {"sum"}, Scope::all),
                       given::node("log", {"mail"}, Scope::all)});
  Job job = job_of(workflow);
  std::vector<Event> events;
  job.stages[0][failed] = 1;
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
  job.stages[1][skipped] = 1;  // because `sum` failed
  EXPECT_THAT(advance(job, workflow, given::noon, events), IsEmpty());
  job.stages[0][failed] = 0;
  job.stages[0][skipped] = 1;  // by choice, as `mail` then was
  EXPECT_THAT(advance(job, workflow, given::noon, events), ElementsAre(index(2)));
}

}  // namespace
}  // namespace pawl
