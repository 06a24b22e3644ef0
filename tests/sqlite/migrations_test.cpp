#include <vector>

#include "sqlite/faults.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/schema.hpp"

namespace pawl::sqlite {
namespace {

TEST(Migrations, are_numbered_in_order_and_say_what_they_bring) {
  int number = 0;
  for (const Migration& migration : migrations()) {
    const std::string name = migration.name;
    EXPECT_EQ(std::stoi(name.substr(0, 3)), ++number);
    EXPECT_GT(name.size(), 6u);
  }
}

/// The current schema and one more step.
std::vector<Migration> one_more(const char* sql) {
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  steps.push_back({.name = "999_one_more", .sql = sql});
  return steps;
}

TEST(Migrations, bring_an_older_schema_up_to_date) {
  const Folder folder;
  const Job job = submit(*must_open({.path = folder / "a.db"}), two_stages(), 2);
  Turnstile turnstile(folder / "a.db");
  Connection connection(folder / "a.db", Connection::Mode::read_write);
  const auto steps = one_more("ALTER TABLE jobs ADD COLUMN colour TEXT");
  bring_up_to_date(connection, turnstile, folder / "a.db", true, steps);
  EXPECT_EQ(connection.integer("PRAGMA user_version"), schema_version() + 1);
  EXPECT_EQ(connection.integer("SELECT count(colour) + count(*) FROM jobs"), job.id.value());
}

// A database from before rates still works, and its stages may have rates.
TEST(Migrations, the_first_schema_gets_room_for_the_openings_that_rates_count) {
  const Folder folder;
  Turnstile turnstile(folder / "a.db");
  {
    Connection connection(folder / "a.db", Connection::Mode::create);
    bring_up_to_date(connection, turnstile, folder / "a.db", true, migrations().first(1));
    EXPECT_EQ(connection.integer("PRAGMA user_version"), 1);
  }
  const auto store = must_open({.path = folder / "a.db"});
  StageDefinition call{.name = "call", .needs = {}, .handler = "call"};
  call.limits.rate = {.count = 2, .per = std::chrono::hours(1)};
  const WorkerId worker = *store->enlist({.host = "h", .pid = 1, .name = "w"});
  std::vector<NewItem> items{{.key = "a"}, {.key = "b"}, {.key = "c"}};
  const auto submitted =
      store->submit({.workflow = *compile({.name = "w", .stages = {call}})},
                    {.items = items, .close = true, .open_for = worker, .open_max = 9});
  ASSERT_TRUE(submitted) << submitted.error().text();
  EXPECT_EQ(submitted->items.opened.size(), 2U);
  Connection connection(folder / "a.db", Connection::Mode::read_only);
  EXPECT_EQ(connection.integer("SELECT count(*) FROM rate_marks"), 2);
}

// Jobs from before trust was introduced continue; a half-imported one does not.
TEST(Migrations, what_was_still_being_imported_is_not_trusted_and_the_rest_is) {
  const Folder folder;
  Turnstile turnstile(folder / "a.db");
  Connection connection(folder / "a.db", Connection::Mode::create);
  bring_up_to_date(connection, turnstile, folder / "a.db", true, migrations().first(3));
  for (const char* labels : {R"({"project":"x"})", R"({"pawl.moved":{"export":"e","shifts":[1]}})",
                             R"({"pawl.arriving":{"lines":3,"originals":0}})"}) {
    connection.run(
        "INSERT INTO jobs (workflow_name, workflow_hash, params, labels, budget, tolerance, "
        "parallel, priority, submitted_at, deadline_at, ended_at, submission_open, generation, "
        "paused, reduce_ordinal, pass, first_ordinal, last_ordinal, counters) VALUES ('w', 'h', "
        "'null', '" +
        std::string(labels) + "', '{}', '{}', 0, 0, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0, '')");
  }
  bring_up_to_date(connection, turnstile, folder / "a.db", true, migrations().first(4));
  EXPECT_EQ(connection.integer("SELECT count(*) FROM jobs WHERE trust = 0 AND id IN (1, 2)"), 2);
  EXPECT_EQ(connection.integer("SELECT count(*) FROM jobs WHERE trust = 1 AND id = 3"), 1);
}

/// A task row with one set of columns replaced.
std::string task_row(const std::string& columns, const std::string& values) {
  return "INSERT INTO tasks (id, job, item, lane, age, version, epoch, round, expansion, cause, "
         "failures, rejections, rate_limit_waits, interruptions, epoch_attempts, " +
         columns + ") VALUES (65536, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, " + values + ")";
}

/// Every index of the schema with its definition.
std::map<std::string, std::string> indexes_of(const std::filesystem::path& path) {
  Connection connection(path, Connection::Mode::read_only);
  std::map<std::string, std::string> indexes;
  Statement select(connection.raw(),
                   "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL");
  for (Cursor row = select.query(); row.next();) indexes[row.text(0)] = row.text(1);
  return indexes;
}

// A database from before the list indexes is listed like a new one.
TEST(Migrations, the_second_schema_gets_the_indexes_that_lists_use) {
  const Folder folder;
  Turnstile turnstile(folder / "old.db");
  (void)must_open({.path = folder / "new.db"});
  {
    Connection connection(folder / "old.db", Connection::Mode::create);
    bring_up_to_date(connection, turnstile, folder / "old.db", true, migrations().first(2));
    EXPECT_EQ(connection.integer("PRAGMA user_version"), 2);
    connection.run(
        "INSERT INTO items (id, job, key, state, cancelled, sinks_left, failed_tasks, "
        "adopted_from, pass, submitted_at, category, data_sha256, data) VALUES "
        "(1, 9, 'a', 3, NULL, 0, 1, 0, 1, 1, '', '', '1'), "
        "(2, 9, 'b', 1, NULL, 1, 0, 0, 1, 1, 'x', '', '2'), "
        "(3, 9, 'c', 1, 1, 1, 0, 0, 1, 1, '', '', '3')");
    connection.run(
        "INSERT INTO reviews (id, job, item, task, epoch, reason, attempt, digest, opened_at, "
        "claimed_until, closed_at, status) VALUES (5, 9, 2, 131072, 1, 1, 1, '', 1, 0, 0, 1)");
    connection.run(task_row("state, attempts, reason, discarded", "8, 1, 1, 0"));
  }
  const auto store = must_open({.path = folder / "old.db"});
  EXPECT_EQ(indexes_of(folder / "old.db"), indexes_of(folder / "new.db"));
  Records& records = store->records();
  const auto ids = [](const auto& rows) {
    std::vector<std::int64_t> found;
    for (const auto& row : rows) found.push_back(row.id.value());
    return found;
  };
  using Ids = std::vector<std::int64_t>;
  EXPECT_EQ(ids(*records.items({.job = JobId{9}})), (Ids{1, 2, 3}));
  EXPECT_EQ(ids(*records.items({.job = JobId{9}, .state = ItemState::failed})), Ids{1});
  EXPECT_EQ(ids(*records.items({.job = JobId{9}, .state = ItemState::cancelled})), Ids{3});
  EXPECT_EQ(ids(*records.items({.job = JobId{9}, .category = "x"})), Ids{2});
  EXPECT_EQ(ids(*records.reviews({.job = JobId{9}, .status = ReviewStatus::open})), Ids{5});
  EXPECT_EQ(ids(*records.tasks({.state = StateKind::failed})), Ids{65'536});
}

TEST(RateMarks, are_never_more_than_the_rate_counts) {
  const Folder folder;
  ManualClock clock;
  const auto store = must_open({.path = folder / "a.db"}, clock);
  StageDefinition call{.name = "call", .needs = {}, .handler = "call"};
  call.limits.rate = {.count = 3, .per = std::chrono::seconds(1)};
  const WorkerId worker = *store->enlist({.host = "h", .pid = 1, .name = "w"});
  const Workflow flow = *compile({.name = "w", .stages = {call}});
  Connection connection(folder / "a.db", Connection::Mode::read_only);
  for (int round = 0; round < 5; ++round) {
    std::vector<NewItem> items{{.key = "a"}, {.key = "b"}, {.key = "c"}, {.key = "d"}};
    const auto submitted = store->submit(
        {.workflow = flow}, {.items = items, .close = true, .open_for = worker, .open_max = 9});
    EXPECT_EQ(submitted->items.opened.size(), 3U);
    EXPECT_EQ(connection.integer("SELECT count(*) FROM rate_marks"), 3);
    clock.advance(std::chrono::seconds(1));
  }
}

TEST(Migrations, an_older_schema_is_refused_without_leave) {
  const Folder folder;
  (void)must_open({.path = folder / "a.db", .migrate = false});  // a new file needs no migration
  Turnstile turnstile(folder / "a.db");
  Connection connection(folder / "a.db", Connection::Mode::read_write);
  try {
    const auto steps = one_more("SELECT 1");
    bring_up_to_date(connection, turnstile, folder / "a.db", false, steps);
    FAIL();
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.error.code, ErrorCode::refused);
  }
  EXPECT_EQ(connection.integer("PRAGMA user_version"), schema_version());
}

TEST(Migrations, one_that_fails_leaves_the_older_schema) {
  const Folder folder;
  (void)must_open({.path = folder / "a.db"});
  Turnstile turnstile(folder / "a.db");
  Connection connection(folder / "a.db", Connection::Mode::read_write);
  const auto steps = one_more("CREATE TABLE half (x); CREATE TABLE half (x)");
  EXPECT_THROW(bring_up_to_date(connection, turnstile, folder / "a.db", true, steps), DbError);
  EXPECT_EQ(connection.integer("PRAGMA user_version"), schema_version());
  EXPECT_EQ(connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'half'"), 0);
}

TEST(Migrations, several_processes_may_open_a_new_database_at_once) {
  const Folder folder;
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto store = open_sqlite_store({.path = folder / "a.db"});
      if (!store) ::_exit(1);
      ::_exit((*store)->enlist({.host = "h", .pid = ::getpid(), .name = "n"}) ? 0 : 2);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const auto store = must_open({.path = folder / "a.db"});
  EXPECT_EQ(store->records().workers()->size(), 6u);
}

/// Runs the statement on a new schema. Returns whether a CHECK refused it.
bool is_refused(const std::string& sql) {
  const Folder folder;
  Turnstile turnstile(folder / "a.db");
  Connection connection(folder / "a.db", Connection::Mode::create);
  bring_up_to_date(connection, turnstile, folder / "a.db", true);
  try {
    connection.run(sql);
    return false;
  } catch (const DbError& error) {
    EXPECT_EQ(error.primary_code(), SQLITE_CONSTRAINT) << error.what();
    return true;
  }
}

TEST(Schema, refuses_tasks_that_make_no_sense) {
  EXPECT_FALSE(is_refused(task_row("state, attempts", "1, 0")));
  EXPECT_TRUE(is_refused(task_row("state, attempts", "10, 0"))) << "an unknown state";
  EXPECT_TRUE(is_refused(task_row("state, attempts", "2, 1"))) << "running for nobody";
  EXPECT_TRUE(is_refused(task_row("state, attempts, worker, opened_at", "2, 0, 1, 1")))
      << "running without an attempt";
  EXPECT_TRUE(is_refused(task_row("state, attempts, worker", "1, 1, 1"))) << "ready, yet held";
  EXPECT_TRUE(is_refused(task_row("state, attempts", "3, 1"))) << "a retry without a time";
  EXPECT_TRUE(is_refused(task_row("state, attempts", "4, 1"))) << "a review without a reason";
  EXPECT_TRUE(is_refused(
      task_row("state, attempts, children, children_open, children_failed", "5, 1, 2, 3, 0")))
      << "more open children than there are";
  EXPECT_TRUE(is_refused(task_row("state, attempts, reason", "8, 1, 1")))
      << "failed, and nobody knows whether discarded";
  EXPECT_TRUE(is_refused(task_row("state, attempts, parent", "1, 0, 131072")))
      << "a child without a key";
}

TEST(Schema, refuses_attempts_and_reviews_that_make_no_sense) {
  EXPECT_TRUE(is_refused("INSERT INTO attempts (task, number) VALUES (1, 1)"));
  const std::string review =
      "INSERT INTO reviews (job, item, task, epoch, reason, attempt, digest, opened_at, "
      "claimed_until, closed_at, status) VALUES (1, 1, 65536, 1, 1, 1, '', 1, 0, 0, ";
  EXPECT_FALSE(is_refused(review + "1)"));
  EXPECT_TRUE(is_refused(review + "2)")) << "answered without an answer";
  EXPECT_TRUE(is_refused(review + "3)")) << "closed without an outcome";
  EXPECT_TRUE(is_refused(review + "5)")) << "an unknown status";
}

}  // namespace
}  // namespace pawl::sqlite
