#include "pawl/compat/legacy_import.hpp"

#include <gmock/gmock.h>

#include "contract/drive.hpp"
#include "contract/store_kinds.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "pawl/store/dead_letters.hpp"
#include "pawl/store/verify.hpp"

namespace pawl {
namespace {

using driving::always;
using driving::Drive;
using driving::failed;
using driving::stage;
using driving::StoreKind;
using driving::succeeded;
using driving::workflow;
using testing::ElementsAre;

TEST(RetryCounts, the_first_attempt_of_a_fresh_item_is_number_one) {
  EXPECT_EQ(attempt_number_for("item-1", {}), 1U);
}

TEST(RetryCounts, the_attempt_after_one_is_number_two) {
  EXPECT_EQ(attempt_number_for("item-1", {{"item-1", 1}}), 2U);
}

TEST(RetryCounts, incrementing_gives_new_counts_and_leaves_the_old_alone) {
  const RetryCounts none;
  const RetryCounts once = with_incremented("item-1", none);
  const RetryCounts twice = with_incremented("item-1", once);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(once.at("item-1"), 1U);
  EXPECT_EQ(twice.at("item-1"), 2U);
}

OldDeadLetter letter(std::string item, std::uint32_t count) {
  return {.item_id = std::move(item), .failure_count = count};
}

TEST(RetryCounts, merging_takes_both_sources) {
  const std::vector<OldDeadLetter> letters{letter("item-2", 3)};
  const RetryCounts merged = merge_retry_counts({{"item-1", {.attempts = 2}}}, letters);
  EXPECT_EQ(merged, (RetryCounts{{"item-1", 2}, {"item-2", 3}}));
}

TEST(RetryCounts, merging_uses_the_larger_where_both_know_an_item) {
  const std::vector<OldDeadLetter> larger{letter("item-1", 3)};
  EXPECT_EQ(merge_retry_counts({{"item-1", {.attempts = 2}}}, larger).at("item-1"), 3U);
  const std::vector<OldDeadLetter> smaller{letter("item-1", 1)};
  EXPECT_EQ(merge_retry_counts({{"item-1", {.attempts = 2}}}, smaller).at("item-1"), 2U);
}

constexpr std::string_view checkpoint = R"({
  "job_id": "mapreduce-17",
  "work_items": [{"id": "fresh", "file": "f"}, {"id": "done", "file": "d"},
                 {"id": "again", "file": "a"}, {"id": "dead", "file": "x"}],
  "agent_results": {"done": {"item_id": "done", "status": "Success", "output": "42 words",
                             "commits": [], "duration": {"secs": 3, "nanos": 0}}},
  "completed_agents": ["done"],
  "failed_agents": {
    "again": {"item_id": "again", "attempts": 2, "last_error": "exit 1",
              "last_attempt": "2023-01-11T10:00:00Z"},
    "dead": {"item_id": "dead", "attempts": 2, "last_error": "old",
             "last_attempt": "2023-01-11T09:00:00Z"}},
  "pending_items": ["fresh"],
  "moon": {"phase": 3}
})";

constexpr std::string_view dead_letters = R"([{
  "item_id": "dead", "item_data": {"id": "dead", "file": "x"},
  "first_attempt": "2023-01-11T08:00:00Z", "last_attempt": "2023-01-11T11:00:00Z",
  "failure_count": 3,
  "failure_history": [
    {"attempt_number": 1, "timestamp": "2023-01-11T08:00:00Z", "error_type": "Timeout",
     "error_message": "took too long"},
    {"attempt_number": 3, "timestamp": "2023-01-11T11:00:00Z",
     "error_type": {"CommandFailed": {"exit_code": 65}}, "error_message": "encrypted pdf"}],
  "error_signature": "CommandFailed", "reprocess_eligible": true}])";

std::vector<std::string> messages(const ImportedItem& item) {
  std::vector<std::string> out;
  for (const Attempt& attempt : item.attempts) {
    out.push_back(attempt.error ? attempt.error->message : "success");
  }
  return out;
}

TEST(ReadCheckpoint, every_item_stands_where_the_old_system_left_it) {
  const Result<ImportPlan> plan = read_checkpoint(checkpoint, dead_letters);
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_EQ(plan->job_id, "mapreduce-17");
  ASSERT_EQ(plan->items.size(), 4U);
  const ImportedItem& fresh = plan->items[0];
  EXPECT_EQ(fresh.key, "fresh");
  EXPECT_EQ(fresh.state, ImportState::fresh);
  EXPECT_TRUE(fresh.attempts.empty());
  const ImportedItem& done = plan->items[1];
  EXPECT_EQ(done.state, ImportState::completed);
  ASSERT_EQ(done.attempts.size(), 1U);
  EXPECT_EQ(done.attempts[0].output, Json("42 words"));
  const ImportedItem& again = plan->items[2];
  EXPECT_EQ(again.state, ImportState::due);
  EXPECT_THAT(messages(again), ElementsAre("imported without a record", "exit 1"));
  const ImportedItem& dead = plan->items[3];
  EXPECT_EQ(dead.state, ImportState::dead);
  EXPECT_THAT(messages(dead), ElementsAre("took too long", "old", "encrypted pdf"));
  EXPECT_EQ(dead.attempts[0].result, AttemptResult::timed_out);
  EXPECT_EQ(dead.attempts[2].error->kind, ErrorKind::exit);
  EXPECT_EQ(dead.attempts[2].error->code, "65");
  for (AttemptNumber number = 1; const Attempt& attempt : dead.attempts) {
    EXPECT_EQ(attempt.number, number++);
    EXPECT_EQ(attempt.decision.rule, Rule::imported);
  }
  EXPECT_THAT(plan->ignored, ElementsAre("moon"));
}

TEST(ReadCheckpoint, missing_and_null_fields_are_no_fault) {
  EXPECT_TRUE(read_checkpoint("{}")->items.empty());
  const Result<ImportPlan> plan = read_checkpoint(
      R"({"work_items":["a","b"],"agent_results":null,"failed_agents":{"b":{}},"item_retry_counts":null})");
  ASSERT_TRUE(plan) << plan.error().text();
  ASSERT_EQ(plan->items.size(), 2U);
  EXPECT_EQ(plan->items[0].key, "a");
  EXPECT_EQ(plan->items[1].state, ImportState::fresh);
}

TEST(ReadCheckpoint, wrong_types_are_all_told_at_once_with_their_paths) {
  const Result<ImportPlan> plan =
      read_checkpoint(R"({
    "job_id": 7, "work_items": {}, "completed_agents": ["a", 3],
    "failed_agents": {"b": {"attempts": "two", "last_attempt": "yesterday"}, "c": 1},
    "item_retry_counts": {"d": -1}})",
                      R"([{"item_id": "e", "failure_history": [{"attempt_number": 1.5}]}, {}])");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::invalid);
  EXPECT_EQ(
      plan.error().message,
      "job_id: expected a text, found the number 7\n"
      "work_items: expected a list, found an object\n"
      "completed_agents[1]: expected a text, found the number 3\n"
      "failed_agents.b.attempts: expected a count from 0 to 1000000, found a text\n"
      "failed_agents.b.last_attempt: expected a time such as 2025-01-11T10:00:00Z, found a text\n"
      "failed_agents.c: expected an object, found the number 1\n"
      "item_retry_counts.d: expected a count from 0 to 1000000, found the number -1\n"
      "dead letters[0].failure_history[0].attempt_number: expected a count from 0 to 1000000, "
      "found the number 1.5\n"
      "dead letters[1].item_id: expected the item's id, found none");
}

// Found by fuzz/legacy_import.cpp: the store refused the item when the job was there already.
TEST(ReadCheckpoint, an_item_without_a_name_is_a_fault) {
  const Result<ImportPlan> plan = read_checkpoint(R"({
    "agent_results": {"": {"status": "Success"}}, "completed_agents": ["a", ""],
    "failed_agents": {"": {"attempts": 1}}, "pending_items": [""], "item_retry_counts": {"": 2}})");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message,
            "agent_results: expected the items' ids, found an empty one\n"
            "completed_agents: expected the items' ids, found an empty one\n"
            "failed_agents: expected the items' ids, found an empty one\n"
            "pending_items: expected the items' ids, found an empty one\n"
            "item_retry_counts: expected the items' ids, found an empty one");
}

// Found by fuzz/legacy_import.cpp: a few hundred bytes must not become gigabytes.
TEST(ReadCheckpoint, more_attempts_than_anybody_made_are_refused) {
  std::string failed;
  for (int i = 0; i < 3; ++i) {
    failed += (i == 0 ? "\"" : ",\"") + std::to_string(i) + R"(":{"attempts":1000000})";
  }
  const Result<ImportPlan> plan = read_checkpoint(R"({"failed_agents":{)" + failed + "}}");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::invalid);
  EXPECT_EQ(plan.error().message, "the items have more than 1000000 attempts between them");
}

TEST(ReadCheckpoint, text_that_is_no_json_is_refused_with_its_place) {
  EXPECT_TRUE(read_checkpoint("{").error().message.starts_with("checkpoint: "));
  EXPECT_TRUE(
      read_checkpoint("[]").error().message.starts_with("the document: expected an object"));
  EXPECT_TRUE(read_checkpoint("{}", "{\n]").error().message.starts_with("dead letters: "));
}

TEST(ReadCheckpoint, dead_letters_come_in_every_shape_the_old_tools_wrote) {
  constexpr std::string_view one = R"({"item_id":"a","failure_count":2})";
  constexpr std::string_view two = R"({"item_id":"b","failure_count":1})";
  const auto keys = [](const std::string& text) {
    const Result<ImportPlan> plan = read_checkpoint("{}", text);
    EXPECT_TRUE(plan) << plan.error().text();
    std::vector<std::string> out;
    for (const ImportedItem& item : plan->items) {
      out.push_back(item.key + ":" + std::to_string(item.attempts.size()));
    }
    return out;
  };
  const std::string a(one);
  const std::string b(two);
  EXPECT_THAT(keys(a), ElementsAre("a:2"));
  EXPECT_THAT(keys("[" + a + "," + b + "]"), ElementsAre("a:2", "b:1"));
  EXPECT_THAT(keys(R"({"items":[)" + a + "," + b + "]}"), ElementsAre("a:2", "b:1"));
  EXPECT_THAT(keys(R"({"items":{"a":)" + a + R"(,"b":)" + b + "}}"), ElementsAre("a:2", "b:1"));
  EXPECT_THAT(keys(a + "\n\n" + b + "\n"), ElementsAre("a:2", "b:1"));
  EXPECT_THAT(keys(""), ElementsAre());
}

// The fault the old system had.
TEST(ReadCheckpoint, a_history_that_numbers_every_failure_one_is_numbered_anew) {
  const Result<ImportPlan> plan = read_checkpoint("{}", R"({"item_id":"a","failure_count":1,
    "failure_history":[
      {"attempt_number":1,"timestamp":"2023-01-11T09:00:00Z","error_type":"Unknown","error_message":"second"},
      {"attempt_number":1,"timestamp":"2023-01-11T08:00:00Z","error_type":"Unknown","error_message":"first"},
      {"attempt_number":1,"timestamp":"2023-01-11T10:00:00Z","error_type":"Unknown","error_message":"third"}]})");
  ASSERT_TRUE(plan) << plan.error().text();
  EXPECT_THAT(messages(plan->items[0]), ElementsAre("first", "second", "third"));
}

TEST(ReadCheckpoint, counts_that_were_kept_are_used_and_never_fall_below_the_records) {
  const Result<ImportPlan> plan = read_checkpoint(R"({
    "work_items": ["a", "b"], "failed_agents": {"a": {"attempts": 1}, "b": {"attempts": 4}},
    "item_retry_counts": {"a": 5, "b": 2}})");
  EXPECT_EQ(plan->items[0].attempts.size(), 5U);
  EXPECT_EQ(plan->items[1].attempts.size(), 4U);
}

TEST(ReadCheckpoint, work_items_known_by_their_place_find_their_history) {
  const Result<ImportPlan> plan = read_checkpoint(R"({
    "work_items": [{"path": "x"}, {"path": "y"}, {"path": "y"}],
    "completed_agents": ["item_1"], "failed_agents": {"item_0": {"attempts": 1}, "lost": {"attempts": 1}}})");
  ASSERT_EQ(plan->items.size(), 4U);
  EXPECT_EQ(plan->items[0].key, "item_0");
  EXPECT_EQ(plan->items[0].state, ImportState::due);
  EXPECT_EQ(plan->items[1].state, ImportState::completed);
  EXPECT_EQ(plan->items[2].state, ImportState::fresh);
  // Known only by its id, but kept.
  EXPECT_EQ(plan->items[3].key, "lost");
  EXPECT_TRUE(plan->items[3].data.is_null());
}

class Import : public testing::TestWithParam<StoreKind> {
 protected:
  Drive drive{GetParam()};
  Workflow flow = workflow("convert", {stage("convert")});

  Job imported(std::string_view text, std::optional<std::string_view> letters = std::nullopt) {
    const Result<ImportPlan> plan = read_checkpoint(text, letters);
    EXPECT_TRUE(plan) << plan.error().text();
    const Result<Job> job = import_checkpoint(drive.store(), flow, *plan);
    EXPECT_TRUE(job) << job.error().text();
    return *job;
  }
  void expect_clean() {
    const Result<Verification> found = verify(drive.records());
    ASSERT_TRUE(found);
    for (const Violation& violation : found->violations) ADD_FAILURE() << violation.message;
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, Import, testing::ValuesIn(driving::store_kinds()),
                         driving::name_of_kind);

TEST_P(Import, failed_twice_and_dead_after_three_the_next_attempt_is_number_four) {
  const Job job = imported(checkpoint, dead_letters);
  expect_clean();
  EXPECT_FALSE(job.submission_open);
  EXPECT_EQ(job.items.total, 4);
  EXPECT_EQ(job.dead_letters, 1);
  const TaskId dead = drive.task_of(job.id, "dead");
  const DeadLetter old = *show_dead_letter(drive.store(), dead);
  EXPECT_EQ(old.failure_count, 3U);
  EXPECT_EQ(old.error, "encrypted pdf");
  EXPECT_EQ(rfc3339(old.failed_at), "2023-01-11T11:00:00Z");

  ASSERT_EQ(retry_dead_letters(drive.store(), {.tasks = {dead}}, {})->done, 1);
  std::map<std::string, AttemptNumber> numbers;
  drive.work([&](const Claimed& claimed) -> driving::Work {
    numbers[claimed.item_key] = claimed.task.attempts;
    return {.closed = failed("still encrypted")};
  });
  EXPECT_EQ(numbers,
            (std::map<std::string, AttemptNumber>{{"again", 3}, {"dead", 4}, {"fresh", 1}}));
  const DeadLetter now = *show_dead_letter(drive.store(), dead);
  EXPECT_EQ(now.failure_count, 4U);
  EXPECT_EQ(now.failure_history.back().number, 4U);
  EXPECT_EQ(now.failure_history.back().message, "still encrypted");
  expect_clean();
}

TEST_P(Import, what_was_completed_keeps_its_output_and_is_not_run_again) {
  const Job job = imported(checkpoint, dead_letters);
  const Task done = drive.task(job.id, "done");
  EXPECT_EQ(done.kind(), StateKind::succeeded);
  EXPECT_EQ(drive.records().output(done.id)->output, Json("42 words"));
  EXPECT_EQ(drive.item(job.id, "done").state, ItemState::succeeded);
  std::vector<std::string> ran;
  drive.work([&](const Claimed& claimed) -> driving::Work {
    ran.push_back(claimed.item_key);
    return {.closed = succeeded()};
  });
  EXPECT_THAT(ran, testing::UnorderedElementsAre("fresh", "again"));
  EXPECT_EQ(state_of(drive.job(job.id)), JobState::failed);  // one dead letter is left
  expect_clean();
}

TEST_P(Import, downstream_stages_go_on_from_what_was_completed) {
  flow = workflow("two", {stage("convert"), stage("publish", {"convert"})});
  const Job job = imported(checkpoint, dead_letters);
  expect_clean();
  EXPECT_EQ(drive.task(job.id, "done", 1).kind(), StateKind::ready);
  EXPECT_EQ(drive.task(job.id, "dead", 1).kind(), StateKind::skipped);
}

TEST_P(Import, importing_the_same_job_again_adds_nothing) {
  const Job first = imported(checkpoint, dead_letters);
  const Job second = imported(checkpoint, dead_letters);
  EXPECT_EQ(first.id, second.id);
  EXPECT_EQ(second.items.total, 4);
}

TEST_P(Import, an_import_that_was_cut_off_goes_on_where_it_stopped) {
  const ImportPlan plan = *read_checkpoint(checkpoint, dead_letters);
  const Job job = *drive.store().create_job({.workflow = flow, .key = "import/mapreduce-17"});
  const std::vector<NewItem> some{{.key = "fresh", .data = plan.items[0].data}};
  ASSERT_TRUE(drive.store().add_items({.job = job.id, .items = some}));
  const Job whole = imported(checkpoint, dead_letters);
  EXPECT_EQ(whole.id, job.id);
  EXPECT_EQ(whole.items.total, 4);
  EXPECT_FALSE(whole.submission_open);
  expect_clean();
}

TEST_P(Import, a_workflow_with_several_first_stages_is_refused_by_name) {
  const ImportPlan plan = *read_checkpoint(checkpoint);
  const Result<Job> job =
      import_checkpoint(drive.store(), workflow("w", {stage("a"), stage("b")}), plan);
  ASSERT_FALSE(job);
  EXPECT_EQ(job.error().message, "workflow 'w' has 2 first stages (a, b)");
}

TEST_P(Import, thousands_of_items_come_in_by_chunks) {
  std::string text = R"({"job_id":"big","work_items":[)";
  for (int i = 0; i < 2'500; ++i) text += (i == 0 ? "" : ",") + std::to_string(i);
  const Job job = imported(text + R"(],"failed_agents":{"7":{"attempts":2,"last_error":"x"}}})");
  EXPECT_EQ(job.items.total, 2'500);
  EXPECT_EQ(drive.task(job.id, "7").attempts, 2U);
  EXPECT_FALSE(job.submission_open);
}

}  // namespace
}  // namespace pawl
