// The documents byte for byte: scripts read them.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "books.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/views/documents.hpp"
#include "views/address.hpp"
#include "views/dead_letters.hpp"
#include "views/items.hpp"
#include "views/jobs.hpp"
#include "views/logs.hpp"
#include "views/outputs.hpp"
#include "views/why.hpp"
#include "views/workers.hpp"

namespace pawl::views {
namespace {

using testing_books::job_of;
using testing_books::noon;

Workflow books() { return testing_books::books({"draft", "polish"}); }

TEST(Bytes, of_an_item_with_derived_states_and_its_id) {
  Item item{.id = ItemId{7}, .job = JobId{41}, .key = "a/polish", .data = Json::object({{"x", 1}})};
  item.submitted_at = noon;
  Task failed;
  failed.id = task_id(ItemId{7}, StageIndex{0});
  failed.attempts = 2;
  failed.version = (noon + std::chrono::seconds(2)).time_since_epoch().count();
  failed.state = Failed{.cause = FailCause::exhausted};
  const ShownItem shown{.item = item,
                        .state = ItemState::failed,
                        .tasks = shown_tasks(books(), item, {failed}, std::nullopt)};
  const std::string task = std::to_string(failed.id.value());
  EXPECT_EQ(
      shown_item_document(shown, books()).text(),
      R"({"item":"a/polish","item_id":7,"job":41,"state":"failed","label":"dead",)"
      R"-("cause":"draft: dead (exhausted)","category":null,"tasks":[)-"
      R"({"stage":"draft","task":)" +
          task +
          R"(,"state":"failed","label":"dead","version":1700000002000000,"attempts":2,"epoch":1,"cause":"exhausted",)"
          R"("next_run_at":null,"feedback":null,"retry_count":1,)"
          R"("created_at":"2023-11-14T22:13:20Z","updated_at":"2023-11-14T22:13:22Z"},)"
          R"({"stage":"polish","task":null,"state":"skipped","label":"skipped","version":null,"attempts":0,"epoch":1,)"
          R"("cause":"upstream_failed","next_run_at":null,"feedback":null,"retry_count":0,)"
          R"("created_at":"2023-11-14T22:13:20Z","updated_at":null}],)"
          R"("adopted_from":null,"submitted_at":"2023-11-14T22:13:20Z","data":{"x":1},)"
          R"("id":"41/a\\/polish"})");
}

TEST(Bytes, of_a_budget_are_those_in_the_document_of_its_job) {
  Job job = job_of(books());
  job.budget.cost_microusd = 25'000'000;
  job.attempts_opened = 3;
  EXPECT_EQ(budget_document(job), field(job_document(job, books()), "budget").json());
  EXPECT_EQ(
      budget_document(job).text(),
      R"({"max_total_attempts":null,"attempts_used":3,"attempts_forecast":null,)"
      R"("max_attempts_per_task":null,)"
      R"("deadline_s":null,"deadline_at":null,"no_progress_s":null,"no_progress_decisions":null,)"
      R"("cost_usd":25,"cost_usd_used":0,"cost_usd_forecast":null,"tokens":null,"tokens_used":0,)"
      R"("tokens_forecast":null,"exhausted":"pause"})");
}

TEST(Bytes, of_the_commands_of_a_job) {
  Job job = job_of(books());
  job.labels = Json::object({{"project", "/srv"}});
  EXPECT_EQ(commands_document(job, books()).text(),
            R"({"project":"/srv","params":null,"items":null,"stages":[)"
            R"({"stage":"draft","handler":"h","action":null},)"
            R"({"stage":"polish","handler":"h","action":null},)"
            R"({"stage":"report","handler":"h","action":null}]})");
}

TEST(Bytes, of_a_decision) {
  const Reason of_person{.at = noon,
                         .stage = "polish",
                         .child = {},
                         .attempt = 2,
                         .trigger = "eve rejected: no",
                         .rule = Rule::rejected_by_person,
                         .explanation = "review 3 was answered by a person",
                         .decision = "fail"};
  EXPECT_EQ(reason_document(of_person).text(),
            R"({"at":"2023-11-14T22:13:20Z","stage":"polish","child":null,"attempt_number":2,)"
            R"("trigger":"eve rejected: no","by":null,"rule":"rejected_by_person",)"
            R"("explanation":"review 3 was answered by a person","decision":"fail"})");
}

TEST(Bytes, of_a_group_of_dead_letters) {
  const DeadLetterGroup group{.signature = "exit 75",
                              .workflow = "books",
                              .stage = "draft",
                              .count = 2,
                              .first = noon,
                              .last = noon + std::chrono::seconds(1),
                              .examples = {TaskId{5}, TaskId{6}},
                              .filter = "stage = draft"};
  EXPECT_EQ(group_document(group).text(),
            R"({"error":"exit 75","workflow":"books","stage":"draft","count":2,)"
            R"("first":"2023-11-14T22:13:20Z","last":"2023-11-14T22:13:21Z","examples":[5,6],)"
            R"("filter":"stage = draft"})");
}

TEST(Bytes, of_a_log) {
  const Log log{
      .task = "draft[p 1]", .attempt = 2, .stream = "stderr", .text = "oh\n", .size = 90'000};
  EXPECT_EQ(log_document(log).text(),
            R"({"stage":"draft[p 1]","attempt_number":2,"stream":"stderr","size":90000,)"
            R"("running":false,"text":"oh\n"})");
}

WorkerRecord worker_until(Timestamp lease_until) {
  WorkerRecord worker;
  worker.id = WorkerId{3};
  worker.name = "night";
  worker.host = "ada";
  worker.pid = 99;
  worker.started_at = noon;
  worker.lease_until = lease_until;
  return worker;
}

TEST(Bytes, of_a_worker_and_what_it_holds) {
  Task task;
  task.id = TaskId{8};
  task.job = JobId{41};
  task.item = ItemId{7};
  task.attempts = 2;
  task.state = Running{.worker = WorkerId{3}, .opened_at = noon};
  const Holds holds{.tasks = {task}, .count = 1, .since = noon};
  EXPECT_EQ(worker_document(worker_until(noon), holds, "alive").text(),
            R"({"worker":3,"name":"night","host":"ada","pid":99,"state":"alive","attempts_open":1,)"
            R"("started_at":"2023-11-14T22:13:20Z","lease_until":"2023-11-14T22:13:20Z",)"
            R"("holds":[{"job":41,"item":7,"task":8,"child":null,"attempt":2,)"
            R"("since":"2023-11-14T22:13:20Z"}],)"
            R"("limits":{"parallel":null,"stages":[],"categories":[],"jobs":[],"leaves":[],)"
            R"("cut_at":null}})");
}

TEST(Workers, are_alive_until_they_sign_off_die_or_lose_their_lease) {
  const auto lives = [](WorkerId) { return false; };
  const auto died = [](WorkerId) { return true; };
  const Timestamp later = noon + std::chrono::seconds(30);
  EXPECT_EQ(state_of_worker(worker_until(later), noon, lives), "alive");
  EXPECT_EQ(state_of_worker(worker_until(later), noon, died), "lost");
  EXPECT_EQ(state_of_worker(worker_until(noon), noon, lives), "lost");
  WorkerRecord retired = worker_until(later);
  retired.retired = true;
  EXPECT_EQ(state_of_worker(retired, noon, died), "retired");
}

TEST(Members, are_appended_or_replaced_where_they_are) {
  const Json object = Json::object({{"a", 1}, {"b", 2}});
  EXPECT_EQ(with_member(object, "a", 3).text(), R"({"a":3,"b":2})");
  EXPECT_EQ(with_member(object, "c", 3).text(), R"({"a":1,"b":2,"c":3})");
}

}  // namespace
}  // namespace pawl::views
