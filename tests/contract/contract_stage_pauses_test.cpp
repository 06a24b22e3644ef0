/// Pausing one stage of a job: nothing of it is opened until it is resumed, and all else goes on.

#include "contract/people.hpp"
#include "contract/store_kinds.hpp"

namespace pawl::driving {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class StagePauses : public PeopleContract {
 protected:
  Result<Job> pause(JobId job, StageIndex stage) {
    return drive.act(PauseStage{job, stage}, local_user("olga"));
  }
  Result<Job> resume(JobId job, StageIndex stage) {
    return drive.act(ResumeStage{job, stage}, local_user("olga"));
  }
  std::vector<StageIndex> claimed_stages() {
    std::vector<StageIndex> found;
    for (const Claimed& one : drive.claim()) found.push_back(one.task.stage());
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(Stores, StagePauses, testing::ValuesIn(store_kinds()), name_of_kind);

TEST_P(StagePauses, keep_the_stage_closed_while_the_others_go_on) {
  const JobId job =
      drive.submit(workflow("w", {stage("a"), stage("b", {"a"}), stage("c", {"a"})}), {"x", "y"});
  ASSERT_TRUE(pause(job, second));
  EXPECT_THAT(drive.job(job).paused_stages, ElementsAre(second));
  EXPECT_EQ(state_of(drive.job(job)), JobState::running) << "the job itself is not paused";
  EXPECT_EQ(drive.work(always(succeeded())), 4) << "a and c of both items";
  EXPECT_EQ(drive.task(job, "x", 1).kind(), StateKind::ready);
  EXPECT_EQ(drive.task(job, "y", 2).kind(), StateKind::succeeded);
  EXPECT_FALSE(drive.job(job).has_ended());
  EXPECT_THAT(drive.claim(), IsEmpty());

  const std::uint64_t mark = drive.store().change_mark();
  ASSERT_TRUE(resume(job, second));
  EXPECT_NE(drive.store().change_mark(), mark) << "whoever waits for changes looks again";
  EXPECT_THAT(claimed_stages(), ElementsAre(second, second));
}

TEST_P(StagePauses, of_one_job_do_not_hold_another_job_of_the_same_workflow) {
  const Workflow flow = workflow("w", {stage("a")});
  const JobId paused = drive.submit(flow, {"x"});
  const JobId other = drive.submit(flow, {"x"});
  ASSERT_TRUE(pause(paused, first));
  const std::vector<Claimed> claimed = drive.claim();
  ASSERT_THAT(claimed, SizeIs(1));
  EXPECT_EQ(claimed[0].task.job, other);
}

TEST_P(StagePauses, let_attempts_end_as_usual_and_hold_back_the_next_ones) {
  const JobId job = drive.submit(
      workflow("w", {with_attempts(stage("a"), 3, 10s), stage("b", {"a"})}), {"x", "y"});
  const std::vector<Claimed> running = drive.claim();
  ASSERT_THAT(running, SizeIs(2));
  ASSERT_TRUE(pause(job, first));
  EXPECT_EQ(drive.close(running[0], succeeded()), StepOutcome::applied);
  EXPECT_EQ(drive.close(running[1], failed("busy")), StepOutcome::applied);
  EXPECT_EQ(claimed_stages(), std::vector{second}) << "what depends on the stage goes on";
  EXPECT_EQ(drive.task(job, "y").kind(), StateKind::retry_scheduled);
  drive.clock().advance(10s);
  EXPECT_EQ(drive.store().sweep({})->woken, 1) << "the retry becomes due as usual";
  EXPECT_EQ(drive.task(job, "y").kind(), StateKind::ready);
  EXPECT_THAT(drive.claim(), IsEmpty());
  ASSERT_TRUE(resume(job, first));
  EXPECT_EQ(claimed_stages(), std::vector{first});
}

TEST_P(StagePauses, hold_for_what_a_step_would_open_at_once) {
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b", {"a"})}), {"x", "y"});
  const std::vector<Claimed> running = drive.claim();
  ASSERT_TRUE(pause(job, second));
  Step step = drive.closing(running[0], {.closed = succeeded(), .children = {}});
  step.open_for = drive.worker();
  step.open_max = 1;
  const StepAnswer held = drive.commit(step);
  EXPECT_THAT(held.opened, IsEmpty());
  EXPECT_TRUE(held.made_ready);
  ASSERT_TRUE(resume(job, second));
  step = drive.closing(running[1], {.closed = succeeded(), .children = {}});
  step.open_for = drive.worker();
  step.open_max = 1;
  EXPECT_THAT(drive.commit(step).opened, SizeIs(1));
}

TEST_P(StagePauses, hold_for_the_next_attempt_of_the_same_task_too) {
  const JobId job = drive.submit(workflow("w", {with_attempts(stage("a"), 3)}), {"x"});
  const std::vector<Claimed> running = drive.claim();
  ASSERT_TRUE(pause(job, first));
  Step step = drive.closing(running[0], {.closed = rejected("poor"), .children = {}});
  ASSERT_EQ(step.next.kind(), StateKind::ready);
  step.open_for = drive.worker();
  step.open_max = 1;
  EXPECT_THAT(drive.commit(step).opened, IsEmpty());
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::ready);
  EXPECT_EQ(drive.job(job).attempts_open, 0);
}

TEST_P(StagePauses, hold_for_the_first_tasks_of_items_that_are_added_later) {
  const Workflow flow = workflow("w", {stage("a")});
  const JobId job = drive.store().create_job({.workflow = flow})->id;
  ASSERT_TRUE(pause(job, first));
  const std::vector<NewItem> items{{.key = "x"}};
  const Result<Added> added = drive.store().add_items(
      {.job = job, .items = items, .close = true, .open_for = drive.worker(), .open_max = 1});
  ASSERT_TRUE(added);
  EXPECT_EQ(added->added, 1);
  EXPECT_THAT(added->opened, IsEmpty());
  ASSERT_TRUE(resume(job, first));
  EXPECT_THAT(drive.claim(), SizeIs(1));
}

TEST_P(StagePauses, hold_for_children_and_job_wide_stages) {
  const JobId job = drive.submit(workflow("w", {stage("fan"), job_wide("sum", {"fan"})}), {"x"});
  drive.close(drive.claim()[0], split({"p", "q"}));
  ASSERT_TRUE(pause(job, first));
  ASSERT_TRUE(pause(job, second));
  EXPECT_THAT(drive.claim(), IsEmpty());
  ASSERT_TRUE(resume(job, first));
  EXPECT_EQ(drive.work(always(succeeded())), 2);
  EXPECT_EQ(drive.task_with(task_id(drive.job(job).reduce_ordinal, second)).kind(),
            StateKind::ready);
  EXPECT_FALSE(drive.job(job).has_ended());
  ASSERT_TRUE(resume(job, second));
  EXPECT_EQ(drive.work(always(succeeded())), 1);
  EXPECT_EQ(state_of(drive.job(job)), JobState::completed);
}

TEST_P(StagePauses, leave_the_slots_of_a_shared_pool_to_other_stages) {
  StageDefinition a = stage("a");
  a.limits = {.pool = "shared", .parallel = 1};
  StageDefinition b = stage("b");
  b.limits = {.pool = "shared", .parallel = 1};
  const JobId job = drive.submit(workflow("w", {a, b}), {"x", "y"});
  const std::vector<Claimed> running = drive.claim();
  ASSERT_THAT(running, SizeIs(1));
  ASSERT_TRUE(pause(job, first));
  if (running[0].task.stage() == first) {
    EXPECT_THAT(drive.claim(), IsEmpty()) << "an attempt that runs keeps its slot";
    drive.close(running[0], succeeded());
  } else {
    drive.close(running[0], succeeded());
  }
  EXPECT_EQ(claimed_stages(), std::vector{second});
  EXPECT_EQ(drive.records().pools()->at(0).open, 1);
}

TEST_P(StagePauses, do_not_ask_about_conditions) {
  StageDefinition asked = stage("a");
  asked.conditional = true;
  const JobId job = drive.submit(workflow("w", {asked}), {"x"});
  ASSERT_TRUE(pause(job, first));
  EXPECT_THAT(drive.claim_for(drive.worker()).conditional, IsEmpty());
  ASSERT_TRUE(resume(job, first));
  EXPECT_THAT(drive.claim_for(drive.worker()).conditional, SizeIs(1));
}

TEST_P(StagePauses, hold_for_a_rerun_and_let_people_decide_and_cancel) {
  const JobId job = drive.submit(workflow("w", {reviewed("a")}), {"x", "y"});
  drive.work(always(succeeded()));
  const auto open = *drive.records().reviews({.job = job});
  ASSERT_TRUE(pause(job, first));
  ASSERT_TRUE(say(open[0], ReviewOutcome::request_changes));
  EXPECT_EQ(drive.task(job, "x").kind(), StateKind::ready);
  EXPECT_THAT(drive.claim(), IsEmpty());
  ASSERT_TRUE(say(open[1], ReviewOutcome::approve));
  ASSERT_TRUE(drive.act(CancelItem{open[0].item}));
  EXPECT_TRUE(drive.job(job).has_ended()) << "nothing is left that could be opened";
}

TEST_P(StagePauses, are_recorded_as_events_once_and_change_nothing_when_repeated) {
  const JobId job = drive.submit(workflow("w", {stage("a"), stage("b"), stage("c")}), {"x"});
  const Generation before = drive.job(job).generation;
  ASSERT_TRUE(pause(job, third));
  const Generation paused = drive.job(job).generation;
  EXPECT_NE(paused, before) << "workers decide with the old state of the job no more";
  ASSERT_TRUE(pause(job, first));
  ASSERT_TRUE(pause(job, third));
  EXPECT_THAT(drive.job(job).paused_stages, ElementsAre(first, third)) << "in stage order";
  ASSERT_TRUE(resume(job, second)) << "it was not paused";
  EXPECT_THAT(drive.job(job).paused_stages, ElementsAre(first, third));
  ASSERT_TRUE(resume(job, first));
  EXPECT_THAT(drive.job(job).paused_stages, ElementsAre(third));

  const std::vector<Event> pauses = events_of(EventType::stage_paused);
  ASSERT_THAT(pauses, SizeIs(2));
  EXPECT_EQ(pauses[0].job, job);
  EXPECT_EQ(pauses[0].code, 2);
  EXPECT_EQ(pauses[0].text, "c");
  EXPECT_EQ(pauses[0].by, "olga");
  const std::vector<Event> resumptions = events_of(EventType::stage_resumed);
  ASSERT_THAT(resumptions, SizeIs(1));
  EXPECT_EQ(resumptions[0].text, "a");
  EXPECT_EQ(resumptions[0].by, "olga");
}

TEST_P(StagePauses, are_apart_from_the_pause_of_the_job) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  ASSERT_TRUE(pause(job, first));
  ASSERT_TRUE(drive.act(PauseJob{job}));
  ASSERT_TRUE(drive.act(ResumeJob{job}));
  EXPECT_THAT(drive.claim(), IsEmpty()) << "its stage is still paused";
  ASSERT_TRUE(drive.act(PauseJob{job}));
  ASSERT_TRUE(resume(job, first));
  EXPECT_THAT(drive.claim(), IsEmpty()) << "the job is still paused";
  ASSERT_TRUE(drive.act(ResumeJob{job}));
  EXPECT_THAT(drive.claim(), SizeIs(1));
}

TEST_P(StagePauses, are_refused_for_stages_that_do_not_exist_and_jobs_that_have_ended) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x"});
  expect_error(pause(job, second), ErrorCode::invalid, "workflow 'w' has no stage number 1");
  expect_error(resume(job, second), ErrorCode::invalid, "has no stage number 1");
  expect_error(pause(JobId{77}, first), ErrorCode::not_found, "77");
  const std::vector<Claimed> running = drive.claim();
  ASSERT_TRUE(drive.act(CancelJob{job}));
  expect_error(pause(job, first), ErrorCode::refused, "job 1 has already ended");
  expect_error(resume(job, first), ErrorCode::refused, "job 1 has already ended");
  drive.close(running[0], succeeded());
  expect_error(pause(job, first), ErrorCode::refused, "job 1 has already ended");
}

// The limit is for work that goes on and comes to nothing.
TEST_P(StagePauses, are_not_held_against_the_job_as_a_lack_of_progress) {
  const Workflow flow = workflow("w", {stage("a"), stage("b", {"a"})});
  const JobId job =
      drive.submit(flow, {"x"}, NewJob{.workflow = flow, .budget = {.no_progress = Duration(1h)}});
  EXPECT_EQ(drive.work_once(always(succeeded())), 1);
  ASSERT_TRUE(pause(job, second));
  drive.clock().advance(2h);
  ASSERT_TRUE(resume(job, second));
  EXPECT_THAT(drive.claim(), SizeIs(1));
  EXPECT_EQ(state_of(drive.job(job)), JobState::running);
}

}  // namespace
}  // namespace pawl::driving
