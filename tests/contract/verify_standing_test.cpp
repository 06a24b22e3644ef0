// The states of tasks, and what binds an answer to the content that was shown. Each damage leaves
// the counts consistent.

#include "contract/verified_store.hpp"
#include "pawl/store/dead_letters.hpp"

namespace pawl {
namespace {

using namespace verifying;  // NOLINT(google-build-using-namespace): a test of these

class VerifyStanding : public VerifiedStore {
 protected:
  static StageDefinition job_wide(std::string name, std::vector<std::string> needs) {
    StageDefinition made = stage(std::move(name), std::move(needs));
    made.scope = Scope::all;
    return made;
  }
  /// Items through 'a', then 'sum' over all of them, then 'tail'.
  JobId summed_job() {
    const JobId job = drive.submit(
        workflow("summed", {stage("a"), job_wide("sum", {"a"}), job_wide("tail", {"sum"})}),
        {"x", "y"});
    drive.work_once(always(succeeded()));
    drive.clock().advance(1s);
    drive.work(always(succeeded()));
    return job;
  }
  /// Rejected twice by its gate, then accepted.
  TaskId refined_task() {
    StageDefinition refined = stage("a");
    refined.retry.max_attempts = 3;
    const JobId job = drive.submit(workflow("refined", {refined}), {"x"});
    drive.work([](const Claimed& claimed) -> Work {
      return {.closed = claimed.task.attempts < 3 ? rejected("poor") : succeeded()};
    });
    return drive.task_of(job, "x");
  }
  /// A task that was shown to a reviewer, and the review.
  JobId reviewed_job() {
    StageDefinition reviewed = stage("a");
    reviewed.review = ReviewPolicy::always;
    const JobId job = drive.submit(workflow("reviewed", {reviewed}), {"x"});
    drive.work(always(succeeded(Json::object({{"total", 12}}))));
    return job;
  }
  void expect_damage(const std::function<void(Task&)>& alter, std::string_view invariant,
                     std::string_view part) {
    RecordsDecorator damaged(drive.records());
    damaged.alter_task = alter;
    expect_violation(damaged, invariant, part);
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, VerifyStanding, testing::ValuesIn(driving::store_kinds()),
                         driving::name_of_kind);

// I7
TEST_P(VerifyStanding, finds_a_job_wide_stage_that_began_before_its_items_were_through) {
  summed_job();
  expect_clean();
  expect_damage(
      [](Task& task) {
        if (task.item == ItemId{2}) task.state = Ready{};
      },
      "I7", "job-wide stage 'sum' has begun, although 'a', which it needs, is ready for item");
  RecordsDecorator lost(drive.records());
  lost.drop_task = [](const Task& task) { return task.item == ItemId{2}; };
  expect_violation(lost, "I7",
                   "job-wide stage 'sum' has begun, although 'a', which it needs, is "
                   "waiting for item");
}

// I7
TEST_P(VerifyStanding, finds_a_job_wide_stage_that_began_before_another_or_was_skipped_for_none) {
  summed_job();
  const auto is_sum = [](const Task& task) { return task.stage() == StageIndex{1}; };
  expect_damage(
      [&](Task& task) {
        if (is_sum(task)) task.state = Failed{.cause = FailCause::final_error};
      },
      "I7", "job-wide stage 'tail' is succeeded, although 'sum', which it needs, is failed");
  expect_damage(
      [&](Task& task) {
        if (!task.item && !is_sum(task)) task.state = Skipped{SkipReason::upstream_failed};
      },
      "I7",
      "job-wide stage 'tail' was skipped after an upstream failure, but none of the job-wide");
  expect_damage(
      [&](Task& task) {
        if (is_sum(task)) task.item = ItemId{2};
      },
      "I10", "of job-wide stage 'sum' is not the one of its job");
}

// I12
TEST_P(VerifyStanding, finds_a_job_wide_stage_that_nobody_woke) {
  summed_job();
  RecordsDecorator never(drive.records());
  never.drop_task = [](const Task& task) { return task.stage() == StageIndex{2}; };
  expect_violation(never, "I12", "job-wide stage 'tail' has all it needs and still waits");
  expect_damage(
      [](Task& task) {
        if (!task.item) task.state = Waiting{};
      },
      "I12", "job-wide stage 'sum' has all it needs and still waits");
}

TEST_P(VerifyStanding, an_item_that_comes_after_a_job_wide_stage_has_begun_is_no_violation) {
  const JobId job = drive.submit(workflow("summed", {stage("a"), job_wide("sum", {"a"})}), {"x"});
  drive.work_once(always(succeeded()));
  ASSERT_EQ(drive.claim(1).size(), 1U);
  ASSERT_TRUE(drive.act(ReopenSubmission{job}));
  drive.clock().advance(1s);
  const std::vector<NewItem> late{{.key = "late"}};
  ASSERT_TRUE(drive.store().add_items({.job = job, .items = late, .close = true}));
  expect_clean();
}

// I7
TEST_P(VerifyStanding, finds_work_that_stands_although_its_gate_rejected_it) {
  const TaskId task = refined_task();
  expect_clean();
  expect_damage(
      [&](Task& row) {
        if (row.id == task) row.state = Succeeded{.attempt = 2};
      },
      "I7", "is succeeded with the output of attempt 2, where attempt 3 was decided as complete");
  RecordsDecorator cut(drive.records());
  cut.alter_attempts = [](TaskId, std::vector<Attempt>& attempts) { attempts.pop_back(); };
  expect_violation(cut, "I7", "where attempt 2 was decided as retry");
}

// I7
TEST_P(VerifyStanding, finds_a_skip_by_choice_that_nobody_chose) {
  const JobId job = varied_job();
  const TaskId left = drive.task_of(job, "dead", 1);
  const auto chosen = [&](Task& task) {
    if (task.id == left) task.state = Skipped{SkipReason::by_choice};
  };
  expect_damage(chosen, "I7",
                "stage 'left' of item 'dead' is skipped, although 'fetch', which it needs, is "
                "failed");
  expect_damage(chosen, "I7", "is skipped by choice, where no attempt of its epoch 1 has ended");
}

// I9
TEST_P(VerifyStanding, finds_a_retry_that_is_scheduled_for_another_time) {
  StageDefinition patient = stage("a");
  patient.retry.max_attempts = 3;
  patient.retry.backoff = {.initial = 60s};
  drive.submit(workflow("patient", {patient}), {"x"});
  drive.work_once(always(failed("busy")));
  expect_clean();
  expect_damage(
      [](Task& task) {
        if (auto* scheduled = std::get_if<RetryScheduled>(&task.state)) {
          scheduled->next_run_at -= 1s;
        }
      },
      "I9", "is scheduled for ");
}

// I6
TEST_P(VerifyStanding, finds_a_state_that_its_newest_decision_does_not_lead_to) {
  const JobId job = varied_job();
  const auto with = [&](std::string_view item, const TaskState& state, std::string_view part) {
    const TaskId id = drive.task_of(job, std::string(item));
    expect_damage(
        [&](Task& task) {
          if (task.id == id) task.state = state;
        },
        "I6", part);
  };
  with("dead", Failed{.cause = FailCause::final_error},
       "is failed as final_error, where attempt 3 was decided as fail");
  with("dead", Failed{.cause = FailCause::tolerance}, "is failed as tolerance, where attempt 3");
  with("dead", Cancelled{}, "is cancelled, where attempt 3 was decided as fail");
  with("plain", Failed{.cause = FailCause::exhausted}, "where attempt 1 was decided as complete");
  with("plain", Waiting{}, "is waiting, where attempt 1 was decided as complete");
  with("plain", Ready{}, "is ready, where attempt 1 was decided as complete");
  with("plain", RetryScheduled{}, "is retry_scheduled, where attempt 1 was decided as complete");
  with("plain", AwaitingReview{}, "is awaiting_review, where attempt 1 was decided as complete");
  with("plain", Expanded{}, "is expanded, where attempt 1 was decided as complete");
  const TaskId join = drive.task_of(job, "plain", 3);
  expect_damage(
      [&](Task& task) {
        if (task.id == join) task.state = AwaitingReview{ReviewReason::exhausted};
      },
      "I6", "is awaiting_review, where attempt 1 was decided as review");
}

// I7, I8
TEST_P(VerifyStanding, finds_an_ending_that_no_answer_gave) {
  const JobId approved = reviewed_job();
  answer_all(approved, ReviewOutcome::approve);
  expect_clean();
  expect_damage([](Task& task) { task.state = Succeeded{.attempt = 0}; }, "I7",
                "is succeeded with the output of attempt 0, where review 1 approved attempt 1");
  expect_damage([](Task& task) { task.state = Succeeded{.attempt = 1, .edited_by = ReviewId{1}}; },
                "I8", "is succeeded as review 1 edited, where review 1 was closed with approve");
  expect_damage([](Task& task) { task.state = Failed{.cause = FailCause::rejected_by_review}; },
                "I8", "was rejected by a review, and no review says so");
  RecordsDecorator mute(drive.records());
  mute.alter_reviews = [](std::vector<Review>& reviews) { reviews.clear(); };
  expect_violation(mute, "I8", "awaited a review and is succeeded, and no review says so");
}

// I2
TEST_P(VerifyStanding, finds_a_task_that_runs_in_a_worker_that_never_was) {
  drive.submit(workflow("w", {stage("a")}), {"x"});
  ASSERT_EQ(drive.claim(1).size(), 1U);
  expect_clean();
  RecordsDecorator nobody(drive.records());
  nobody.drop_worker = [](WorkerId) { return true; };
  expect_only(nobody, "I2", "which was never there");
}

// I17. Such an attempt stayed open for ever: its worker was alive and knew nothing about it.
TEST_P(VerifyStanding, finds_an_attempt_that_its_worker_does_not_hold) {
  drive.submit(workflow("w", {stage("a")}), {"x"});
  ASSERT_EQ(drive.claim(1).size(), 1U);
  const Timestamp opened = drive.clock().now();
  drive.clock().advance(5s);
  ASSERT_TRUE(drive.store().renew(drive.worker(), opened));
  expect_clean();
  ASSERT_TRUE(drive.store().renew(drive.worker(), opened + 1us));
  RecordsDecorator as_they_are(drive.records());
  expect_only(as_they_are, "I17", "holds nothing older than");
  // A worker that has signed off will be swept.
  ASSERT_TRUE(drive.store().retire(drive.worker()));
  expect_clean();
}

// I8
TEST_P(VerifyStanding, finds_content_that_is_not_what_was_shown) {
  const JobId job = reviewed_job();
  expect_clean();
  const std::string_view part = "review 1 was about other content than the attempts 1 to 1";
  RecordsDecorator edited(drive.records());
  edited.alter_attempts = [](TaskId, std::vector<Attempt>& attempts) {
    attempts[0].output = Json::object({{"total", 13}});
  };
  expect_only(edited, "I8", part);
  RecordsDecorator input(drive.records());
  input.alter_item = [](Item& item) { item.data = Json(7); };
  expect_only(input, "I8", part);
  RecordsDecorator digest(drive.records());
  digest.alter_reviews = [](std::vector<Review>& reviews) {
    for (Review& review : reviews) review.digest.back() = review.digest.back() == '0' ? '1' : '0';
  };
  expect_only(digest, "I8", part);
  // Later attempts were not shown, and do not matter.
  answer_all(job, ReviewOutcome::request_changes);
  drive.work(always(succeeded(Json::object({{"total", 14}}))));
  expect_clean();
}

}  // namespace
}  // namespace pawl
