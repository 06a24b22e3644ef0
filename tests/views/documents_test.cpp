#include "pawl/views/documents.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "books.hpp"
#include "codec/arbitrary.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {
namespace {

using ::testing::IsSubsetOf;

using testing_books::noon;

Workflow books() { return testing_books::books({"draft", "polish", "publish"}); }

void expect_fields(const Json& document, const std::vector<std::string>& wanted) {
  ASSERT_TRUE(parse_json(document.text())) << document.text();
  std::vector<std::string> names;
  for (const auto& [name, value] : members(document)) names.push_back(name);
  EXPECT_THAT(wanted, IsSubsetOf(names)) << document.text();
}

std::string text_at(const Json& document, std::string_view path) {
  const auto found = field(document, path).json();
  return found ? found->text() : "(none)";
}

Item ada() {
  return Item{.id = ItemId{7}, .job = JobId{41}, .key = "ada", .data = Json::object({{"x", 1}})};
}

Task task_of(StageIndex stage, TaskState state) {
  Task task;
  task.id = task_id(ItemId{7}, stage);
  task.item = ItemId{7};
  task.attempts = 1;
  task.state = state;
  return task;
}

TEST(JobDocument, has_the_promised_fields) {
  const Workflow workflow = books();
  Job job = testing_books::job_of(workflow);
  job.items.total = 3;
  job.items.succeeded = 1;
  job.budget.cost_microusd = 25'000'000;
  job.stages[0][StateKind::ready] = 2;
  job.stages[0][StateKind::succeeded] = 1;
  const Json document = job_document(job, workflow);
  expect_fields(document, {"job", "workflow", "state", "waiting_for_people", "items", "stages",
                           "budget", "submitted_at", "ended_at"});
  expect_fields(*field(document, "items").json(),
                {"total", "succeeded", "failed", "cancelled", "active"});
  expect_fields(*field(document, "stages.draft").json(),
                {"waiting", "ready", "running", "retry_scheduled", "awaiting_review", "expanded",
                 "succeeded", "skipped", "failed", "cancelled"});
  EXPECT_EQ(text_at(document, "job"), "41");
  EXPECT_EQ(text_at(document, "state"), "\"running\"");
  EXPECT_EQ(text_at(document, "items.active"), "2");
  EXPECT_EQ(text_at(document, "stages.draft.ready"), "2");
  EXPECT_EQ(text_at(document, "tasks"), R"({"total":10,"succeeded":1,"failed":0})")
      << "three stages of three items, and the report";
  job.stages[1][StateKind::failed] = 2;
  job.children[1][StateKind::failed] = 5;
  EXPECT_EQ(text_at(job_document(job, workflow), "tasks"),
            R"({"total":10,"succeeded":1,"failed":2})")
      << "children are not counted";
  EXPECT_EQ(text_at(document, "budget.cost_usd"), "25");
  EXPECT_EQ(text_at(document, "submitted_at"), "\"2023-11-14T22:13:20Z\"");
  EXPECT_EQ(text_at(document, "ended_at"), "null");
}

TEST(ItemDocument, lists_every_stage_with_the_states_that_follow) {
  const Json document =
      item_document(ada(), books(), {task_of(StageIndex{0}, RetryScheduled{noon})});
  expect_fields(document, {"item", "job", "state", "tasks", "data"});
  EXPECT_EQ(text_at(document, "item"), "\"ada\"");
  EXPECT_EQ(text_at(document, "data.x"), "1");
  expect_fields(*field(document, "tasks[0]").json(),
                {"stage", "state", "attempts", "cause", "next_run_at"});
  EXPECT_EQ(text_at(document, "tasks[0].state"), "\"retry_scheduled\"");
  EXPECT_EQ(text_at(document, "tasks[0].next_run_at"), "\"2023-11-14T22:13:20Z\"");
  EXPECT_EQ(text_at(document, "tasks[1].stage"), "\"polish\"");
  EXPECT_EQ(text_at(document, "tasks[1].state"), "\"waiting\"");
  EXPECT_EQ(text_at(document, "tasks[1].attempts"), "0");
  EXPECT_EQ(text_at(document, "tasks[3]"), "(none)") << "a job-wide stage is none of the item's";
}

TEST(ItemDocument, everything_behind_a_failure_is_skipped) {
  const Json document =
      item_document(ada(), books(), {task_of(StageIndex{0}, Failed{FailCause::exhausted, false})});
  EXPECT_EQ(text_at(document, "tasks[0].cause"), "\"exhausted\"");
  for (const char* stage : {"tasks[1]", "tasks[2]"}) {
    EXPECT_EQ(text_at(document, std::string(stage) + ".state"), "\"skipped\"");
    EXPECT_EQ(text_at(document, std::string(stage) + ".cause"), "\"upstream_failed\"");
  }
}

TEST(ItemDocument, a_failure_that_may_be_passed_over_breaks_nothing) {
  WorkflowDefinition definition = books().definition();
  definition.stages[0].on_failure = OnFailure::proceed;
  const Json document =
      item_document(ada(), compile(definition).value(),
                    {task_of(StageIndex{0}, Failed{FailCause::exhausted, false})});
  EXPECT_EQ(text_at(document, "tasks[1].state"), "\"waiting\"");
}

TEST(ItemDocument, what_does_not_run_in_a_cancelled_job_is_cancelled) {
  const std::vector<Task> tasks{task_of(StageIndex{0}, Succeeded{.attempt = 1}),
                                task_of(StageIndex{1}, Ready{})};
  const Json document = item_document(ada(), books(), tasks, CancelCause::deadline);
  EXPECT_EQ(text_at(document, "state"), "\"cancelled\"");
  EXPECT_EQ(text_at(document, "tasks[0].state"), "\"succeeded\"");
  EXPECT_EQ(text_at(document, "tasks[1].state"), "\"cancelled\"");
  EXPECT_EQ(text_at(document, "tasks[1].cause"), "\"deadline\"");
  EXPECT_EQ(text_at(document, "tasks[2].state"), "\"cancelled\"");
  const Json running =
      item_document(ada(), books(), {task_of(StageIndex{0}, Running{})}, CancelCause::requested);
  EXPECT_EQ(text_at(running, "tasks[0].state"), "\"running\"");
}

Attempt closed_as(Cause cause, AttemptResult result) {
  Attempt attempt;
  attempt.cause = cause;
  attempt.result = result;
  return attempt;
}

TEST(RetryCount, of_a_fan_out_leaves_out_the_joins) {
  Task task = task_of(StageIndex{0}, Succeeded{.attempt = 2});
  task.expansion = 1;
  task.attempts = 2;
  std::vector<Attempt> attempts{closed_as(Cause::first, AttemptResult::expanded),
                                closed_as(Cause::join, AttemptResult::success)};
  const auto retries = [&] {
    return text_at(
        item_document(ada(), books(), {task}, std::nullopt, {{task.id, joins_of(task, attempts)}}),
        "tasks[0].retry_count");
  };
  EXPECT_EQ(retries(), "0") << "it expanded and joined";
  attempts.push_back(closed_as(Cause::gate_feedback, AttemptResult::expanded));
  task.attempts = 3;
  EXPECT_EQ(retries(), "1") << "its list was made once more";
  attempts.push_back(closed_as(Cause::join, AttemptResult::failure));
  task.attempts = 4;
  EXPECT_EQ(retries(), "1");
  attempts.push_back(closed_as(Cause::join, AttemptResult::success));
  task.attempts = 5;
  EXPECT_EQ(retries(), "2") << "a join that is tried again is a retry";
}

TEST(RetryCount, leaves_out_a_join_that_is_running) {
  Task task = task_of(StageIndex{0}, Running{});
  task.expansion = 1;
  task.attempts = 2;
  task.cause = Cause::join;
  EXPECT_EQ(joins_of(task, {closed_as(Cause::first, AttemptResult::expanded)}), 1U);
  task.cause = Cause::first;
  EXPECT_EQ(joins_of(task, {closed_as(Cause::first, AttemptResult::failure)}), 0U);
}

TEST(AttemptDocument, has_the_promised_fields) {
  Attempt attempt;
  attempt.number = 2;
  attempt.cause = Cause::error_retry;
  attempt.started_at = noon;
  attempt.ended_at = noon + std::chrono::milliseconds(12);
  attempt.result = AttemptResult::success;
  attempt.verdict = Verdict::rejected;
  attempt.feedback = Feedback{.summary = "Tables missing",
                              .criteria = {{.name = "tables", .expected = "= 4", .actual = "3"}}};
  attempt.assessments = {
      {.gate = "structure",
       .verdict = Verdict::rejected,
       .summary = "Tables missing",
       .criteria = {{.name = "tables", .expected = "= 4", .actual = "3"}}},
      {.gate = "style", .advisory = true, .parts = {{.gate = "1", .summary = "short words"}}}};
  attempt.error = StageError{.kind = ErrorKind::exit,
                             .code = "75",
                             .message = "busy",
                             .retry_after = std::chrono::milliseconds(1'500)};
  attempt.decision = Decision{.kind = DecisionKind::retry,
                              .rule = Rule::refine_after_rejection,
                              .next_run_at = noon,
                              .next_cause = Cause::gate_feedback};
  attempt.alternatives = {Json("hi")};
  attempt.action = Json::object({{"run", Json::array({"greet"})}});
  const Json document = attempt_document(attempt, "greet");
  EXPECT_EQ(text_at(document, "alternatives"), R"(["hi"])");
  EXPECT_EQ(text_at(document, "action"), R"({"run":["greet"]})");
  expect_fields(document, {"stage", "attempt_number", "epoch", "cause", "result", "error",
                           "verdict", "gates", "feedback", "output", "summary", "started_at",
                           "ended_at", "duration_ms", "decision"});
  expect_fields(*field(document, "decision").json(), {"kind", "rule", "next_run_at"});
  EXPECT_EQ(
      text_at(document, "error"),
      R"({"class":"retryable","kind":"exit","code":"75","message":"busy","retry_after_s":1.5})");
  EXPECT_EQ(text_at(document, "feedback"),
            R"({"summary":"Tables missing","criteria":[{"name":"tables","expected":"= 4",)"
            R"("actual":"3","passed":false}],"guidance":null})");
  EXPECT_EQ(text_at(document, "gates"),
            R"([{"name":"structure","verdict":"rejected","advisory":false,)"
            R"("summary":"Tables missing","criteria":[{"name":"tables","expected":"= 4",)"
            R"("actual":"3","passed":false}]},)"
            R"({"name":"style","verdict":"accepted","advisory":true,"summary":null,"criteria":[],)"
            R"("parts":[{"name":"1","verdict":"accepted","advisory":false,)"
            R"("summary":"short words","criteria":[]}]}])");
  EXPECT_EQ(text_at(document, "attempt_number"), "2");
  EXPECT_EQ(text_at(document, "verdict"), "\"rejected\"");
  EXPECT_EQ(text_at(document, "duration_ms"), "12");
  EXPECT_EQ(text_at(document, "decision.kind"), "\"retry\"");
  EXPECT_EQ(text_at(document, "decision.cause"), "\"gate_feedback\"");
  const Json plain = attempt_document(Attempt{}, "greet");
  EXPECT_EQ(text_at(plain, "gates"), "[]");
  for (const char* name : {"error", "verdict", "feedback", "started_at", "duration_ms"}) {
    EXPECT_EQ(text_at(plain, name), "null") << name;
  }
}

TEST(ReviewDocument, has_the_promised_fields) {
  Review review{.id = ReviewId{318}, .job = JobId{41}};
  review.reason = ReviewReason::exhausted;
  review.attempt = 4;
  review.digest = "sha256:9f";
  const Json document = review_document(review, "ada", "check");
  expect_fields(document, {"review", "item", "stage", "reason", "attempt_number", "digest"});
  EXPECT_EQ(text_at(document, "reason"), "\"exhausted\"");
  EXPECT_EQ(text_at(document, "answer"), "null");
  review.answer = Answer{.outcome = ReviewOutcome::reject, .reviewer = "eve", .note = "no"};
  EXPECT_EQ(text_at(review_document(review, "ada", "check"), "answer.outcome"), "\"reject\"");
  EXPECT_EQ(text_at(document, "child"), "null");
  EXPECT_EQ(text_at(review_document(review, "ada", "check", "page 3"), "child"), "\"page 3\"");
}

TEST(EventDocument, has_the_promised_fields_and_data_by_type) {
  Event event{.type = EventType::retry_scheduled, .seq = 7, .job = JobId{41}};
  event.attempt = 2;
  event.at = noon;
  event.code = static_cast<std::int32_t>(Cause::error_retry);
  event.count = 8;
  event.when = noon + std::chrono::seconds(60);
  const Json document = event_document(event, "ada", "greet");
  EXPECT_EQ(
      document.text(),
      R"({"seq":7,"type":"retry.scheduled","job":41,"item":"ada","stage":"greet","child":null,)"
      R"("attempt_number":2,"at":"2023-11-14T22:13:20Z","data":{"cause":"error_retry",)"
      R"("max_attempts":8,"next_run_at":"2023-11-14T22:14:20Z"}})");
  const Json of_job = event_document(Event{.type = EventType::job_resumed}, "", "");
  EXPECT_EQ(text_at(of_job, "item"), "null");
  EXPECT_EQ(text_at(of_job, "stage"), "null");
  EXPECT_EQ(text_at(of_job, "attempt_number"), "null");
}

TEST(EventDocument, is_valid_json_whatever_the_event) {
  arbitrary::check(500, [] {
    RC_ASSERT(parse_json(event_document(*arbitrary::event(), *arbitrary::text(), "s").text())
                  .has_value());
  });
}

}  // namespace
}  // namespace pawl
