/// Every statement that the store prepares finds its rows by an index.

#include <set>

#include <sqlite3.h>

#include "contract/every_read.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/sqlite_rows.hpp"
#include "sqlite/statement_record.hpp"
#include "sqlite/writer.hpp"

namespace pawl::sqlite {
namespace {

using driving::EveryRead;
using driving::LongHistory;
using driving::Read;

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

/// A scan of a whole table, or a sort of more than one index range, is not short.
void expect_no_scan(Connection& connection) {
  const std::set<std::string> large = {"tasks",   "attempts",       "items",        "journal",
                                       "reviews", "review_answers", "review_queue", "audit"};
  for (const auto& [text, plan] : plans_of(connection)) {
    for (const std::string& line : plan) {
      if (!line.starts_with("SCAN ")) continue;
      const std::string table = line.substr(5, line.find(' ', 5) - 5);
      // A partial index holds only the rows in one state.
      const bool is_partial = line.find("USING INDEX tasks_") != std::string::npos ||
                              line.find("USING INDEX reviews_pending") != std::string::npos ||
                              line.find("USING INDEX reviews_to_notice") != std::string::npos;
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

void touch_people(store::PeopleRows& people, Timestamp now) {
  (void)people.is_empty();
  people.insert_person({.name = "anna"});
  people.put_person(*people.person("anna"));
  (void)people.people();
  const std::int64_t number = people.insert_token({.sha256 = "a", .worker_kinds = {}});
  (void)people.token(number);
  people.revoke_token(number, now);
  people.note_token_use(number, now);
  (void)people.token_with_digest("a");
  (void)people.tokens();
  people.insert_session({.sha256 = "a", .person = "anna"});
  (void)people.session("a");
  people.delete_session("a");
  people.delete_sessions_of("anna");
  people.delete_expired_sessions(now);
  people.delete_person("anna");
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
  const store::ItemProgress progress = *rows.progress(ItemId{1});
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
  (void)rows.due_notices(now, 10);
  (void)rows.insert_review({.job = job.id,
                            .item = ItemId{1},
                            .task = task_id(1, StageIndex{}),
                            .assigned = {"anna", "group:editors"},
                            .due_at = now});
  rows.put_review(*rows.review(ReviewId{1}));
  rows.insert_answer({.review = ReviewId{1}, .number = 1});
  rows.put_answer(rows.answers(ReviewId{1}).front());
  const AuditEntry newest = rows.newest_audit();
  rows.append_audit({.number = newest.number + 1, .act = "test"});
  touch_people(rows.people(), now);
  rows.add_to_pool("p", rows.pool_open("p"));
  rows.note_opening("p", {.count = 1, .per = std::chrono::seconds(1)}, now);
  (void)rows.opening_before("p", 1);
  (void)rows.worker(WorkerId{1});
  (void)rows.gone_workers(now, WorkerId{1});
  (void)rows.next_due(now);
  const Task task = *rows.task(task_id(2, StageIndex{}));
  (void)rows.replace_task(task, task.version);
  rows.delete_item(ItemId{2});
  rows.delete_ordinals(3, 3);
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
  EXPECT_THAT(plan_of(connection, "notice_at <= ?1 ORDER"), uses("INDEX reviews_to_notice"));
  EXPECT_THAT(plan_of(connection, "FROM review_answers WHERE review = ?1"), uses("PRIMARY KEY"));
  EXPECT_THAT(plan_of(connection, "FROM audit WHERE number > 0 ORDER BY number DESC"),
              uses("INTEGER PRIMARY KEY"));
  EXPECT_THAT(plan_of(connection, "FROM tokens WHERE sha256 = ?1"), uses("INDEX tokens_by_digest"));
  EXPECT_THAT(plan_of(connection, "DELETE FROM sessions WHERE person"),
              uses("INDEX sessions_of_person"));
  EXPECT_THAT(plan_of(connection, "DELETE FROM sessions WHERE expires_at"),
              uses("INDEX sessions_by_end"));
  EXPECT_THAT(plan_of(connection, "SELECT id FROM jobs WHERE deadline_at > 0"),
              uses("INDEX jobs_by_deadline"));
  for (const auto& [text, plan] : plans_of(connection)) {
    for (const std::string& line : plan) {
      // The few jobs past their deadline are sorted; nothing else is.
      if (text.find("deadline_at <=") != std::string::npos) continue;
      EXPECT_THAT(line, testing::Not(uses("TEMP B-TREE"))) << text;
    }
  }
}

/// Statements that may scan or sort, and why that stays short.
const std::map<std::string, std::string>& allowed() {
  static const std::map<std::string, std::string> texts{
      {"FROM tasks INDEXED BY tasks_ready WHERE state = 1 LIMIT ?1", "takes any 1,001, unsorted"},
      {"FROM tasks INDEXED BY tasks_due WHERE state = 3 LIMIT ?1", "takes any 1,001, unsorted"},
      {"FROM workers ORDER BY id", "one row for each process that ever worked"},
      {"FROM workers WHERE gone = 0", "one row for each process that works"},
      {"FROM journal_zones WHERE zone >= ?1", "one row for 1,024 of the journal"},
      {"WHERE task = ?1 AND status < 3 ORDER BY id DESC",
       "sorts the one pending review of a task, where SQLite has counted"},
      {"SELECT count(*) FROM (SELECT 1 FROM items INDEXED BY items_by_state WHERE job = ?1",
       "counts at most 1,001 rows of one range of an index"},
      {"FROM tokens WHERE number > 0 ORDER BY number", "one row for each token"},
      {"deadline_at <= ?1 ORDER BY id", "sorts the few jobs just past their deadline"},
  };
  return texts;
}

bool is_allowed(const std::string& text) {
  // Part of a migration: runs once in the life of a store.
  if (text.starts_with("UPDATE jobs SET trust = 1 WHERE labels LIKE")) return true;
  return std::ranges::any_of(
      allowed(), [&](const auto& one) { return text.find(one.first) != std::string::npos; });
}

bool has_a_plan(const std::string& text) {
  for (const char* verb : {"SELECT", "UPDATE", "DELETE", "INSERT"}) {
    if (text.starts_with(verb)) return text.find("sqlite_schema") == std::string::npos;
  }
  return false;
}

void expect_short_plans(const std::filesystem::path& path, const std::set<std::string>& texts) {
  Connection connection(path, Connection::Mode::read_only);
  for (const std::string& text : texts) {
    if (!has_a_plan(text) || is_allowed(text)) continue;
    Statement explain(connection.raw(), "EXPLAIN QUERY PLAN " + text);
    for (Cursor row = explain.query(); row.next();) {
      const std::string line = row.text(3);
      const bool is_constant = line.find("CONSTANT ROW") != std::string::npos;
      EXPECT_TRUE(is_constant || !line.starts_with("SCAN ")) << text << "\n  " << line;
      EXPECT_EQ(line.find("TEMP B-TREE"), std::string::npos) << text << "\n  " << line;
    }
  }
}

// The texts are those that ran: on every connection, for a whole history and every read of it.
TEST(QueryPlans, nothing_that_runs_walks_a_table_or_sorts_one) {
  const Folder folder;
  StatementRecord record;
  LongHistory history(folder / "a.db", 30);
  for (const Read& read : EveryRead(history).reads) read.run();
  const std::set<std::string> texts = record.texts();
  EXPECT_GT(texts.size(), 60u);
  for (const auto& [part, why] : allowed()) {
    const auto has_it = [&](const std::string& text) { return text.find(part) != text.npos; };
    EXPECT_TRUE(std::ranges::any_of(texts, has_it)) << "nothing asks this any more: " << part;
  }
  expect_short_plans(folder / "a.db", texts);
  // An administrator may run ANALYZE; the plans must stay the same.
  Connection(folder / "a.db", Connection::Mode::read_write).run("ANALYZE");
  expect_short_plans(folder / "a.db", texts);
}

}  // namespace
}  // namespace pawl::sqlite
