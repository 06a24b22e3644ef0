/// Every statement that the store prepares finds its rows by an index.

#include <set>

#include <sqlite3.h>

#include "sqlite/due.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/lane_heads.hpp"
#include "sqlite/sqlite_records.hpp"
#include "sqlite/sqlite_rows.hpp"
#include "sqlite/writer.hpp"

namespace pawl::sqlite {
namespace {

/// The plan of each statement that a connection has prepared, by its text.
std::map<std::string, std::vector<std::string>> plans_of(Connection& connection) {
  std::vector<std::string> texts;
  for (sqlite3_stmt* each = sqlite3_next_stmt(connection.raw(), nullptr); each != nullptr;
       each = sqlite3_next_stmt(connection.raw(), each)) {
    texts.emplace_back(sqlite3_sql(each));
  }
  std::map<std::string, std::vector<std::string>> plans;
  for (const std::string& text : texts) {
    Statement explain(connection.raw(), "EXPLAIN QUERY PLAN " + text);
    for (Cursor row = explain.query(); row.next();) plans[text].push_back(row.text(3));
  }
  return plans;
}

/// Walking a whole table, or sorting more than one index range gives, is not short.
void expect_no_scan(Connection& connection) {
  const std::set<std::string> large = {"tasks", "attempts", "items", "journal", "reviews"};
  for (const auto& [text, plan] : plans_of(connection)) {
    for (const std::string& line : plan) {
      if (!line.starts_with("SCAN ")) continue;
      const std::string table = line.substr(5, line.find(' ', 5) - 5);
      // A partial index holds only the rows in one state.
      const bool is_partial = line.find("USING INDEX tasks_") != std::string::npos ||
                              line.find("USING INDEX reviews_pending") != std::string::npos;
      EXPECT_TRUE(!large.contains(table) || is_partial) << text << "\n  " << line;
    }
  }
}

std::string plan_of(Connection& connection, const std::string& part_of_text) {
  for (const auto& [text, plan] : plans_of(connection)) {
    if (text.find(part_of_text) == std::string::npos) continue;
    std::string lines;
    for (const std::string& line : plan) lines += line + "\n";
    return lines;
  }
  return "no such statement";
}

/// One call of every function, so that every statement is prepared.
void touch_all(SqliteRows& rows, const Job& job, Timestamp now) {
  const std::vector<LaneId> lanes = {LaneId{1}, LaneId{2}};
  (void)rows.job(job.id);
  (void)rows.job_with_key("w", "k");
  (void)rows.overdue_jobs(now);
  (void)rows.lane_base(job.id, "new", 2);
  (void)rows.seen_in_pass(job.id, "item-0");
  rows.mark_seen(job.id, "item-0", 1);
  const ItemProgress progress = *rows.progress(ItemId{1});
  rows.put_progress(ItemId{1}, progress);
  (void)rows.brief(ItemId{1});
  (void)rows.finished_before(job, "item-0", "sha");
  (void)rows.task(task_id(1, StageIndex{}));
  (void)rows.tasks_of(ItemId{1});
  (void)rows.children_of(task_id(1, StageIndex{}), 1);
  (void)rows.ready_tasks(lanes, 10);
  (void)rows.ready_tasks(std::span(lanes).first(1), 10);
  (void)rows.due_retries(now, 10);
  (void)rows.running_of(WorkerId{1}, 10);
  (void)rows.attempts(task_id(1, StageIndex{}));
  (void)rows.review(ReviewId{1});
  (void)rows.pending_review(task_id(1, StageIndex{}));
  (void)rows.due_answers(now, 10);
  rows.add_to_pool("p", rows.pool_open("p"));
  rows.note_opening("p", {.count = 1, .per = std::chrono::seconds(1)}, now);
  (void)rows.opening_before("p", 1);
  (void)rows.worker(WorkerId{1});
  (void)rows.gone_workers(now, WorkerId{1});
  (void)rows.next_due(now);
  const Task task = *rows.task(task_id(2, StageIndex{}));
  (void)rows.replace_task(task, task.version);
  rows.delete_item(ItemId{2});
  rows.put_job(job);
  rows.flush();
}

TEST(QueryPlans, what_a_write_transaction_asks_uses_an_index) {
  const Folder folder;
  const Job job = submit(*must_open({.path = folder / "a.db"}), two_stages(), 5);
  Writer writer({.path = folder / "a.db"});
  const WorkerLocks locks(folder / "a.db");
  const auto done = writer.transaction(
      [&]() -> Status {
        SqliteRows rows(writer.connection(), writer.cache(), locks);
        touch_all(rows, job, Timestamp{std::chrono::hours(1)});
        return {};
      },
      {});
  ASSERT_TRUE(done);
  Connection& connection = writer.connection();
  expect_no_scan(connection);
  const auto uses = [](const std::string& index) { return testing::HasSubstr(index); };
  EXPECT_THAT(plan_of(connection, "state = 1 AND lane = ?1"), uses("INDEX tasks_ready"));
  EXPECT_THAT(plan_of(connection, "state = 3 AND next_run_at <= ?1 ORDER"),
              uses("INDEX tasks_due"));
  EXPECT_THAT(plan_of(connection, "state = 2 AND worker = ?1"), uses("INDEX tasks_running"));
  EXPECT_THAT(plan_of(connection, "of_expansion = ?2"), uses("INDEX tasks_children"));
  EXPECT_THAT(plan_of(connection, "UPDATE tasks"), uses("INTEGER PRIMARY KEY"));
  EXPECT_THAT(plan_of(connection, "status = 2 AND effective_at <= ?1 ORDER"),
              uses("INDEX reviews_due"));
  EXPECT_THAT(plan_of(connection, "SELECT id FROM jobs WHERE deadline_at > 0"),
              uses("INDEX jobs_by_deadline"));
  for (const auto& [text, plan] : plans_of(connection)) {
    for (const std::string& line : plan) {
      // The few past their deadline are put in order; nothing else is sorted.
      if (text.find("deadline_at <=") != std::string::npos) continue;
      EXPECT_THAT(line, testing::Not(uses("TEMP B-TREE"))) << text;
    }
  }
}

TEST(QueryPlans, what_people_list_uses_an_index) {
  const Folder folder;
  const Job job = submit(*must_open({.path = folder / "a.db"}), two_stages(), 5);
  ReaderPool readers(folder / "a.db");
  const PayloadFiles payloads(folder / "a.db");
  SqliteRecords records(folder / "a.db", readers, payloads);

  for (const JobId of : {job.id, JobId{}}) {
    for (std::size_t kind = 0; kind < state_kinds; ++kind) {
      ASSERT_TRUE(records.tasks({.job = of, .state = static_cast<StateKind>(kind)}));
    }
    ASSERT_TRUE(records.tasks({.job = of}));
    ASSERT_TRUE(records.tasks({.job = of, .discarded = false}));
    ASSERT_TRUE(records.tasks({.job = of, .worker = WorkerId{1}}));
    ASSERT_TRUE(records.tasks({.job = of, .parent = TaskId{65536}, .after = TaskId{65537}}));
    ASSERT_TRUE(records.items({.job = of}));
    ASSERT_TRUE(records.items({.job = of, .state = ItemState::failed}));
    ASSERT_TRUE(records.reviews({.job = of}));
    ASSERT_TRUE(records.reviews({.job = of, .task = TaskId{65536}}));
    ASSERT_TRUE(records.reviews({.job = of, .status = ReviewStatus::open}));
    ASSERT_TRUE(records.events({.job = of}));
  }
  ASSERT_TRUE(records.events({.item = ItemId{1}}));
  ASSERT_TRUE(records.jobs({}));
  ASSERT_TRUE(records.jobs({.ended = false}));
  ASSERT_TRUE(records.item(job.id, "item-1"));
  ASSERT_TRUE(records.outputs(ItemId{1}));
  ASSERT_TRUE(records.attempts(TaskId{65536}));

  const ReaderPool::Lease connection = readers.borrow();
  (void)lane_heads(*connection);
  (void)anything_due(*connection, Timestamp{});
  (void)earliest_due(*connection, Timestamp{});
  expect_no_scan(*connection);
  EXPECT_THAT(plan_of(*connection, "state = 1 AND lane > ?1"),
              testing::HasSubstr("COVERING INDEX tasks_ready"));
  EXPECT_THAT(plan_of(*connection, "state = 8 AND job = ?1"),
              testing::HasSubstr("INDEX tasks_failed"));
  EXPECT_THAT(plan_of(*connection, "ended_at = 0 AND id < ?1"),
              testing::HasSubstr("INDEX jobs_unended"));
  for (const std::string sql : {"state = 1 AND lane > ?1", "state = 8 AND job = ?1",
                                "(of_expansion, id) > (?5, ?6)", "state = 2 AND worker = ?4"}) {
    EXPECT_THAT(plan_of(*connection, sql), testing::Not(testing::HasSubstr("TEMP B-TREE"))) << sql;
  }
}

}  // namespace
}  // namespace pawl::sqlite
