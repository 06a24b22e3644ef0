// The log and the rows record the same facts: if one of them is damaged, the other shows it.

#include "contract/verified_store.hpp"
#include "pawl/store/dead_letters.hpp"

namespace pawl {
namespace {

using namespace verifying;  // NOLINT(google-build-using-namespace): a test of these

class VerifyLog : public VerifiedStore {
 protected:
  /// A job with one stage; all items succeeded.
  JobId plain_job(const std::vector<std::string>& keys = {"x", "y"}) {
    const JobId job = drive.submit(workflow("plain", {stage("a")}), keys);
    drive.work(always(succeeded()));
    return job;
  }
  /// Two attempts of one task.
  JobId retried_job() {
    StageDefinition again = stage("a");
    again.retry.max_attempts = 2;
    const JobId job = drive.submit(workflow("retried", {again}), {"x"});
    drive.work([](const Claimed& claimed) -> Work {
      return {.closed = claimed.task.attempts == 1 ? failed("busy") : succeeded()};
    });
    return job;
  }
  /// Replaces one kind of event by another that no row repeats.
  static void silence(RecordsDecorator& damaged, EventType type, AttemptNumber attempt = 0) {
    damaged.alter_event = [=](Event& event) {
      if (event.type == type && (attempt == 0 || event.attempt == attempt)) {
        event.type = EventType::gate_accepted;
      }
    };
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, VerifyLog, testing::ValuesIn(driving::store_kinds()),
                         driving::name_of_kind);

// I1
TEST_P(VerifyLog, finds_an_item_that_is_lost_with_everything_that_counts_it) {
  const JobId job = plain_job();
  const ItemId lost = drive.item(job, "x").id;
  RecordsDecorator damaged(drive.records());
  damaged.drop_item = [&](const Item& item) { return item.id == lost; };
  damaged.drop_task = [&](const Task& task) { return task.item == lost; };
  damaged.alter_job = [](Job& row) {
    --row.items.total;
    --row.items.succeeded;
    --row.stages[0][StateKind::succeeded];
    --row.attempts_opened;
  };
  expect_only(damaged, "I1", "the log says that attempt 1 of task 65536 was opened");
  expect_only(damaged, "I1",
              "the log says that attempt 1 of task 65536 was closed as success, and the rows do "
              "not");
  expect_only(damaged, "I1", "the log has 2 settled items of job 1, of which 1 are there");
}

// I1
TEST_P(VerifyLog, finds_a_record_that_tells_an_attempt_otherwise) {
  plain_job({"x"});
  RecordsDecorator earlier(drive.records());
  earlier.alter_attempts = [](TaskId, std::vector<Attempt>& attempts) {
    for (Attempt& attempt : attempts) attempt.opened_at -= 1s;
  };
  expect_only(earlier, "I1", "the rows say that attempt 1 of task 65536 was opened at");
  RecordsDecorator other(drive.records());
  other.alter_event = [](Event& event) {
    if (event.type == EventType::attempt_finished) {
      event.code = static_cast<std::int32_t>(AttemptResult::timed_out);
    }
  };
  expect_only(other, "I1",
              "the rows say that attempt 1 of task 65536 was closed as success, and the log that "
              "attempt 1 of task 65536 was closed as timed_out");
  EXPECT_EQ(verified(other).violation_count, 1);
  EXPECT_EQ(verified(other).violations[0].item_key, "x");
  EXPECT_EQ(verified(other).violations[0].stage, "a");
}

// I1
TEST_P(VerifyLog, finds_an_attempt_that_the_log_does_not_tell) {
  plain_job({"x"});
  RecordsDecorator untold(drive.records());
  silence(untold, EventType::attempt_started);
  expect_violation(untold, "I1", "was opened at");
  expect_violation(untold, "I1", "and the log does not");
  // The same damage makes a history that is impossible.
  expect_violation(untold, "I4", "attempt 1 of task 65536 was closed as success, and was not open");
}

// I1
TEST_P(VerifyLog, finds_a_review_that_is_lost_or_was_never_told) {
  const JobId job = varied_job();
  answer_all(job, ReviewOutcome::approve);
  expect_clean();
  RecordsDecorator lost(drive.records());
  lost.alter_reviews = [](std::vector<Review>& reviews) {
    if (!reviews.empty() && reviews[0].id == ReviewId{1}) reviews.erase(reviews.begin());
  };
  expect_violation(lost, "I1", "the log says that a review of attempt 1 of task");
  expect_violation(lost, "I1", "with approve, and the rows do not");
  RecordsDecorator unasked(drive.records());
  silence(unasked, EventType::review_requested);
  expect_only(unasked, "I1", "the rows say that a review of attempt 1 of task");
  RecordsDecorator unanswered(drive.records());
  silence(unanswered, EventType::review_decided);
  expect_only(unanswered, "I1", "was answered at");
}

// I1
TEST_P(VerifyLog, finds_an_item_that_settled_otherwise) {
  plain_job({"x"});
  RecordsDecorator other(drive.records());
  other.alter_event = [](Event& event) {
    if (event.type == EventType::item_settled) {
      event.code = static_cast<std::int32_t>(ItemState::failed);
    }
  };
  expect_only(other, "I1", "item 'x' is succeeded, and the log says that it settled as failed");
  RecordsDecorator untold(drive.records());
  silence(untold, EventType::item_settled);
  expect_only(untold, "I1", "item 'x' is succeeded, and the log does not say that it settled");
}

// I1
TEST_P(VerifyLog, finds_a_job_whose_row_and_story_differ) {
  const JobId job = plain_job({"x"});
  RecordsDecorator unsubmitted(drive.records());
  silence(unsubmitted, EventType::job_submitted);
  expect_only(unsubmitted, "I1", "job 1 is there, and the log does not say that it was submitted");
  RecordsDecorator unended(drive.records());
  silence(unended, EventType::job_finished);
  expect_only(unended, "I1", "and the log has no end");
  RecordsDecorator later(drive.records());
  later.alter_event = [](Event& event) {
    if (event.type == EventType::job_finished) event.at += 1s;
  };
  expect_only(later, "I1", "and the log has its end at");
  RecordsDecorator other(drive.records());
  other.alter_event = [](Event& event) { event.job = JobId{99}; };
  expect_violation(other, "I1", "the log mentions job 99, which is not there");

  const JobId cancelled = drive.submit(workflow("w", {stage("a")}), {"x"});
  ASSERT_TRUE(drive.act(CancelJob{cancelled}));
  expect_clean();
  RecordsDecorator unheard(drive.records());
  silence(unheard, EventType::job_cancelled);
  expect_only(unheard, "I1", "job 2 is by its row requested, by the log not cancelled");
  EXPECT_TRUE(verified(unheard, {.job = job}).ok());
}

// I4
TEST_P(VerifyLog, finds_attempts_that_do_not_take_turns) {
  retried_job();
  expect_clean();
  RecordsDecorator twice(drive.records());
  silence(twice, EventType::attempt_finished, 1);
  expect_violation(twice, "I4", "attempt 2 of task 65536 was opened while attempt 1 was open");
  RecordsDecorator again(drive.records());
  again.alter_event = [](Event& event) {
    if (event.type != EventType::retry_scheduled) return;
    event.type = EventType::attempt_finished;
    event.attempt = 1;
  };
  expect_violation(again, "I4", "attempt 1 of task 65536 was closed as");
  RecordsDecorator jumped(drive.records());
  jumped.alter_event = [](Event& event) {
    const bool is_it =
        event.type == EventType::attempt_started || event.type == EventType::attempt_finished;
    if (is_it && event.attempt == 2) event.attempt = 3;
  };
  expect_violation(jumped, "I4", "attempt 3 of task 65536 was opened after attempt 1");
  RecordsDecorator unclosed(drive.records());
  silence(unclosed, EventType::attempt_finished, 2);
  expect_violation(unclosed, "I4", "task 65536 ended while its attempt 2 was open");
}

// I4
TEST_P(VerifyLog, finds_a_row_that_does_not_agree_with_the_end_of_its_story) {
  drive.submit(workflow("w", {stage("a")}), {"x"});
  ASSERT_EQ(drive.claim(1).size(), 1U);
  expect_clean();
  RecordsDecorator ready(drive.records());
  ready.alter_task = [](Task& task) { task.state = Ready{}; };
  expect_violation(ready, "I4",
                   "attempt 1 of task 65536 is open in the log, and the task is ready");
  RecordsDecorator closed(drive.records());
  closed.alter_event = [](Event& event) {
    if (event.type == EventType::job_submitted) return;
    event.type = EventType::gate_accepted;
  };
  expect_violation(closed, "I4",
                   "task 65536 is running its attempt 1, and in the log none is open");
  RecordsDecorator other(drive.records());
  other.alter_task = [](Task& task) { task.attempts = 2; };
  expect_violation(other, "I4",
                   "task 65536 is running its attempt 2, and in the log attempt 1 is open");
}

// I11
TEST_P(VerifyLog, finds_an_attempt_that_opened_after_a_limit_had_ended_the_job) {
  NewJob about{.workflow = workflow("w", {stage("a")})};
  about.budget.max_total_attempts = 1;
  about.budget.exhausted = OnBudgetEnd::fail;
  drive.submit(about.workflow, {"x", "y"}, about);
  drive.work(always(succeeded()));
  ASSERT_EQ(drive.job(JobId{1}).cancelled, CancelCause::budget);
  expect_clean();
  RecordsDecorator early(drive.records());
  EventSeq first = 0;
  early.alter_event = [&](Event& event) {
    if (event.type == EventType::budget_reached) event.type = EventType::gate_accepted;
    if (first == 0 || event.seq == first) {
      first = event.seq;
      event.type = EventType::budget_reached;
    }
  };
  expect_violation(early, "I11", "an attempt was opened after a limit had ended job 1");
}

TEST_P(VerifyLog, leaves_out_what_was_purged_and_nothing_else) {
  const JobId job = drive.submit(workflow("w", {stage("a")}), {"x", "y", "z"});
  drive.work([](const Claimed& claimed) -> Work {
    return {.closed = claimed.item_key == "y" ? succeeded() : failed("torn", ErrorClass::final)};
  });
  ASSERT_EQ(discard_dead_letters(drive.store(), {.all = true}, {.note = "gone"})->done, 2);
  ASSERT_TRUE(drive.act(PurgeItem{drive.item(job, "x").id}));
  expect_clean();
  EXPECT_TRUE(verified(drive.records(), {.page = 3, .job = job}).ok());
  RecordsDecorator lost(drive.records());
  const TaskId kept = drive.task_of(job, "z");
  lost.alter_attempts = [&](TaskId task, std::vector<Attempt>& attempts) {
    if (task == kept) attempts.clear();
  };
  expect_violation(lost, "I1", "the log says that attempt 1 of task 196608 was opened");
  RecordsDecorator unpurged(drive.records());
  silence(unpurged, EventType::item_purged);
  expect_only(unpurged, "I1", "the log says that attempt 1 of task 65536 was opened");
}

// Work continues while the records are read: changes in between are not differences.
TEST_P(VerifyLog, what_comes_between_two_reads_is_not_taken_for_a_difference) {
  StageDefinition b = stage("b", {"a"});
  b.review = ReviewPolicy::always;
  const JobId job = drive.submit(workflow("w", {stage("a"), b}), {"x", "y", "z"});
  drive.work_once(always(succeeded()));
  int reads = 0;
  RecordsDecorator busy(drive.records());
  busy.alter_attempts = [&](TaskId, std::vector<Attempt>&) {
    if (++reads == 2) drive.work_once(always(succeeded()));
    if (reads == 8) answer_all(job, ReviewOutcome::approve);
  };
  const Verification found = verified(busy);
  EXPECT_TRUE(found.ok()) << told(found);
  EXPECT_THAT(found.in_motion, testing::IsEmpty());
  EXPECT_GT(reads, 12);
  expect_clean();
}

// More tasks differ than are held at a time: each is reported, or its group is counted.
TEST_P(VerifyLog, tells_many_differences_one_by_one) {
  std::vector<std::string> keys;
  for (int i = 0; i < 40; ++i) keys.push_back("item " + std::to_string(i));
  plain_job(keys);
  RecordsDecorator damaged(drive.records());
  damaged.alter_event = [](Event& event) {
    if (event.type == EventType::attempt_started) event.at += 1s;
  };
  expect_only(damaged, "I1", "the rows say that attempt 1 of task");
  EXPECT_EQ(verified(damaged, {.page = 7}).violation_count, 40);
}

}  // namespace
}  // namespace pawl
