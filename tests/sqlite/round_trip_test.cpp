/// Rows are read back as they were written.

#include "sql/attempt_codec.hpp"
#include "sql/item_codec.hpp"
#include "sql/review_codec.hpp"
#include "sql/task_codec.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/row_writes.hpp"
#include "sqlite/schema.hpp"

namespace pawl::sqlite {
namespace {

using namespace sql;

constexpr Timestamp noon{std::chrono::seconds(1'700'000'000)};

class RoundTrip : public testing::Test {
 protected:
  RoundTrip() {
    bring_up_to_date(connection, turnstile, folder / "a.db", true);
    connection.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY");
  }

  template <class Read>
  auto first_row(const std::string& sql, Read read) {
    Statement statement(connection.raw(), sql);
    Cursor row = statement.query();
    EXPECT_TRUE(row.next());
    return read(row);
  }
  Task task_row(TaskId id) {
    return first_row(std::string("SELECT ") + task_columns +
                         " FROM tasks WHERE id = " + std::to_string(id.value()),
                     task_of);
  }

  Folder folder;
  Turnstile turnstile{folder / "a.db"};
  Connection connection{folder / "a.db", Connection::Mode::create};
};

std::vector<TaskState> every_state() {
  return {Waiting{.satisfied = 0x8000'0000'0000'0001},
          Ready{},
          Running{.worker = WorkerId{7}, .opened_at = noon},
          RetryScheduled{.next_run_at = noon},
          AwaitingReview{.reason = ReviewReason::exhausted},
          Expanded{.children = 5, .open = 3, .failed = 2},
          Succeeded{.attempt = 4, .edited_by = ReviewId{9}},
          Skipped{.reason = SkipReason::upstream_failed},
          Failed{.cause = FailCause::interruptions, .discarded = true},
          Cancelled{.cause = CancelCause::superseded}};
}

Task full_task(std::int64_t ordinal, TaskState state) {
  return {.id = task_id(ordinal, StageIndex{3}),
          .job = JobId{2},
          .item = ItemId{ordinal},
          .lane = LaneId{8},
          .version = 5,
          .epoch = 2,
          .round = 3,
          .expansion = 4,
          .attempts = 6,
          .counts = {.failures = 1,
                     .rejections = 2,
                     .rate_limit_waits = 3,
                     .interruptions = 4,
                     .attempts = 5},
          .cause = Cause::gate_feedback,
          .state = std::move(state),
          .feedback = Feedback{.summary = "too \"short\"\n",
                               .criteria = {{.name = "length", .expected = "> 9", .actual = "3"}},
                               .guidance = Json::object({{"try", "harder"}})},
          .child = ChildPart{.parent = task_id(1, StageIndex{3}),
                             .expansion = 4,
                             .key = std::string("zero\0byte", 9),
                             .data = Json::array({1, 2})}};
}

TEST_F(RoundTrip, a_task_in_every_state_inserted) {
  std::int64_t ordinal = 10;
  for (const TaskState& state : every_state()) {
    const Task task = full_task(++ordinal, state);
    ASSERT_TRUE(insert_task_row(connection, task));
    EXPECT_EQ(task_row(task.id), task) << "state " << static_cast<int>(task.kind());
  }
}

TEST_F(RoundTrip, a_task_from_every_state_to_every_state) {
  std::int64_t ordinal = 100;
  for (const TaskState& from : every_state()) {
    for (const TaskState& to : every_state()) {
      Task task = full_task(++ordinal, from);
      ASSERT_TRUE(insert_task_row(connection, task));
      task.state = to;
      task.version = 6;
      task.epoch = 9;
      task.round = 9;
      task.attempts = 9;
      task.counts = {.failures = 5};
      task.feedback = std::nullopt;
      ASSERT_TRUE(update_task_row(connection, task, 5));
      EXPECT_EQ(task_row(task.id), task);
    }
  }
}

TEST_F(RoundTrip, a_plain_task) {
  const Task task{.id = task_id(1, StageIndex{}),
                  .job = JobId{1},
                  .item = ItemId{1},
                  .lane = LaneId{1},
                  .version = 1,
                  .state = Ready{}};
  ASSERT_TRUE(insert_task_row(connection, task));
  EXPECT_EQ(task_row(task.id), task);
}

// I4
TEST_F(RoundTrip, an_older_version_writes_nothing_and_a_second_insert_neither) {
  const Task task = full_task(1, Ready{});
  ASSERT_TRUE(insert_task_row(connection, task));
  Task other = task;
  other.state = Cancelled{};
  other.version = 99;
  EXPECT_FALSE(update_task_row(connection, other, 4));
  EXPECT_FALSE(insert_task_row(connection, other));
  EXPECT_EQ(task_row(task.id), task);
}

Attempt full_attempt() {
  Attempt attempt{.task = task_id(1, StageIndex{2}),
                  .number = 3,
                  .epoch = 2,
                  .round = 4,
                  .cause = Cause::error_retry,
                  .worker = WorkerId{5},
                  .ran = false,
                  .opened_at = noon,
                  .started_at = noon + Duration{1},
                  .ended_at = noon + Duration{2},
                  .result = AttemptResult::timed_out,
                  .verdict = Verdict::uncertain,
                  .verdict_reason = "blurred",
                  .summary = "half",
                  .output = Json::object({{"$ref", "sha256:00"}, {"size", 7}}),
                  .usage = {.cost_microusd = 12, .tokens = 34},
                  .decider = "mine",
                  .counts_before = {1, 2, 3, 4, 5},
                  .attempts_cap = 8,
                  .cancelled_by = CancelCause::stop_job,
                  .graceful = true};
  attempt.error = StageError{.error_class = ErrorClass::rate_limited,
                             .kind = ErrorKind::http,
                             .code = "http_429",
                             .message = "slow \xF0\x9F\x90\x8C down\t",
                             .retry_after = Duration{5},
                             .details = Json::object({{"a", nullptr}}),
                             .classified_by = "patterns"};
  attempt.feedback = Feedback{.summary = "again"};
  attempt.assessments = {{.gate = "blur",
                          .verdict = Verdict::uncertain,
                          .summary = "blurred",
                          .criteria = {{.name = "dpi", .expected = ">= 300", .actual = "72"}}}};
  attempt.artifacts = {{.kind = ArtifactKind::standard_error,
                        .name = "stderr",
                        .reference = "sha256:11",
                        .sha256 = "11",
                        .size = 4,
                        .summary = Json::array({"x"})},
                       {.kind = ArtifactKind::url, .reference = "https://example.org"}};
  attempt.alternatives = {Json::object({{"title", "Other"}}), Json("plain")};
  attempt.action = Json::object({{"run", Json::array({"convert", "a.pdf"})}});
  attempt.decision = {.kind = DecisionKind::retry,
                      .rule = Rule::custom_decider,
                      .next_run_at = noon + Duration{9},
                      .next_cause = Cause::rate_limited,
                      .review_reason = ReviewReason::blocked,
                      .fail_cause = FailCause::marked_dead,
                      .cancel_cause = CancelCause::budget,
                      .new_round = true,
                      .counts = {6, 7, 8, 9, 10},
                      .reason = "because"};
  return attempt;
}

TEST_F(RoundTrip, an_attempt_with_everything_and_one_with_nothing) {
  const Attempt full = full_attempt();
  Attempt plain{.task = full.task, .number = 4};
  Attempt accepted{.task = full.task, .number = 5, .verdict = Verdict::accepted};
  accepted.assessments = {{.gate = "words", .summary = "enough"}};
  Attempt ran{.task = full.task, .number = 6};
  ran.action = Json::object({{"sh", "true"}});
  for (const Attempt& attempt : {full, plain, accepted, ran}) {
    insert_attempt_row(connection, attempt);
  }
  EXPECT_EQ(attempts_of(connection, full.task), (std::vector{full, plain, accepted, ran}));
  EXPECT_EQ(output_of(connection, full.task, 3)->first, full.output);
  EXPECT_FALSE(output_of(connection, full.task, 7));
}

TEST_F(RoundTrip, an_attempt_is_never_written_twice) {
  insert_attempt_row(connection, full_attempt());
  EXPECT_THROW(insert_attempt_row(connection, full_attempt()), DbError);
}

TEST_F(RoundTrip, a_review_from_open_to_closed) {
  Review review{.job = JobId{1},
                .item = ItemId{2},
                .task = task_id(2, StageIndex{1}),
                .epoch = 3,
                .reason = ReviewReason::uncertain,
                .attempt = 4,
                .digest = "sha256:ff",
                .opened_at = noon};
  review.id = insert_review_row(connection, review);
  EXPECT_EQ(review_with_id(connection, review.id), review);
  review.status = ReviewStatus::answered;
  review.claimed_by = "ann";
  review.claimed_until = noon + Duration{3};
  review.answer = Answer{.outcome = ReviewOutcome::approve_with_edits,
                         .reviewer = "ann",
                         .note = "fixed",
                         .attempt = 4,
                         .edits = Json::object({{"title", "new"}}),
                         .digest = "sha256:ff",
                         .effective_at = noon + Duration{5}};
  update_review_row(connection, review);
  EXPECT_EQ(review_with_id(connection, review.id), review);
  review.status = ReviewStatus::closed;
  review.closed_at = noon + Duration{6};
  update_review_row(connection, review);
  EXPECT_EQ(review_with_id(connection, review.id), review);
}

TEST_F(RoundTrip, a_job_with_its_counters) {
  JobRow row;
  Job& job = row.job;
  job.workflow_name = "w";
  job.workflow_hash = "h";
  job.key = "k";
  job.params = Json::object({{"p", 1}});
  job.labels = Json::array({"l"});
  job.budget = {.max_total_attempts = 5, .deadline = Duration{7}, .exhausted = OnBudgetEnd::fail};
  job.tolerate_failures = {.count = 3, .percent = 12.5};
  job.parallel = 2;
  job.priority = -4;
  job.submitted_at = noon;
  job.stages.resize(3);
  job.children.resize(3);
  row.first_ordinal = 5;
  row.last_ordinal = 6;
  job.id = insert_job_row(connection, row);
  const auto read_back = [&] {
    return first_row(std::string("SELECT ") + job_columns + " FROM jobs", job_row_of);
  };
  EXPECT_EQ(read_back().job, job);

  job.generation = 9;
  job.paused = PauseCause::no_progress;
  job.cancelled = CancelCause::tolerance;
  job.deadline_at = noon + Duration{1};
  job.ended_at = noon + Duration{2};
  job.submission_open = false;
  job.reduce_ordinal = 77;
  job.items = {.total = 10, .succeeded = 1, .failed = 2, .cancelled = 3, .adopted = 1};
  job.attempts_opened = 11;
  job.attempts_open = 12;
  job.dead_letters = 13;
  job.failed_tasks = 14;
  job.decisions_since_progress = 15;
  job.last_progress_at = noon + Duration{3};
  job.used = {.cost_microusd = 16, .tokens = 17};
  job.stages[0][StateKind::ready] = 18;
  job.stages[2][StateKind::failed] = 19;
  job.stages[2][StateKind::cancelled] = 20;
  job.children[1][StateKind::expanded] = -1;
  row.pass = 3;
  row.last_ordinal = 60;
  update_job_row(connection, row);
  const JobRow back = read_back();
  EXPECT_EQ(back.job, job);
  EXPECT_EQ(back.pass, 3u);
  EXPECT_EQ(back.last_ordinal, 60);
}

TEST_F(RoundTrip, damaged_counters_are_corrupt) {
  Job job;
  job.stages.resize(2);
  const std::string text = counters_text(job);
  for (std::size_t length = 0; length < text.size(); ++length) {
    Job other;
    try {
      read_counters(text.substr(0, length), other);
      // Cut between two stages, it is still valid text, with fewer stages.
      EXPECT_LT(other.stages.size() + other.children.size(), 2u);
    } catch (const Fault& fault) {
      EXPECT_EQ(fault.error.code, ErrorCode::corrupt);
    }
  }
}

TEST_F(RoundTrip, an_item) {
  const Item item{.id = ItemId{4},
                  .job = JobId{1},
                  .key = "k'\"\n",
                  .category = "c",
                  .data = Json::object({{"d", 1}}),
                  .data_sha256 = "00",
                  .submitted_at = noon,
                  .state = ItemState::failed,
                  .cancelled = CancelCause::requested,
                  .sinks_left = 2,
                  .failed_tasks = 3,
                  .adopted_from = ItemId{1}};
  insert_item_row(connection, item, 2);
  EXPECT_EQ(first_row(std::string("SELECT ") + item_columns + " FROM items", item_of), item);
}

}  // namespace
}  // namespace pawl::sqlite
