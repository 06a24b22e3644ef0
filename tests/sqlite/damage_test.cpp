// Stores that another program has written to: every read of damaged data reports it, and `verify`
// finds it.

#include <algorithm>

#include <gmock/gmock.h>

#include "pawl/store/verify.hpp"
#include "sqlite/db.hpp"
#include "sqlite/fixture.hpp"

namespace pawl::sqlite {
namespace {

using testing::HasSubstr;

class Damage : public testing::Test {
 protected:
  Damage() { job_ = submit(*must_open({.path = path_}), workflow_, 2); }

  void run(const std::string& sql) const {
    Connection connection(path_, Connection::Mode::read_write);
    connection.run("PRAGMA ignore_check_constraints = ON");
    connection.run(sql);
  }
  [[nodiscard]] std::shared_ptr<Store> opened() const {
    return must_open({.path = path_, .create = false});
  }
  /// What `verify` reports about the database itself.
  static std::vector<std::string> found(Store& store, const VerifyOptions& options = {}) {
    const Result<Verification> checked = verify(store.records(), options);
    EXPECT_TRUE(checked) << checked.error().text();
    std::vector<std::string> messages;
    for (const Violation& violation : checked->violations) {
      if (violation.invariant == "database") messages.push_back(violation.message);
    }
    return messages;
  }
  template <class T>
  static void expect_corrupt(const Result<T>& answer, std::string_view part) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::corrupt);
    EXPECT_THAT(answer.error().text(), HasSubstr(part));
    EXPECT_FALSE(answer.error().help.empty());
  }

  Folder folder_;
  std::filesystem::path path_ = folder_ / "a.db";
  Workflow workflow_ = two_stages();
  Job job_;
};

TEST_F(Damage, a_healthy_store_has_none) {
  const auto store = opened();
  EXPECT_THAT(found(*store), testing::IsEmpty());
  EXPECT_THAT(found(*store, {.database = VerifyOptions::Database::quick}), testing::IsEmpty());
}

TEST_F(Damage, a_definition_that_was_changed_is_not_taken_for_the_workflow) {
  for (const char* change :
       {"UPDATE workflows SET definition = replace(definition, '\"stages\"', '\"stagez\"')",
        "UPDATE workflows SET definition = '{\"name\":\"other\",\"stages\":[{\"name\":\"a\","
        "\"handler\":\"h\"}]}'",
        "UPDATE workflows SET definition = '{\"name\":'"}) {
    run(change);
    const auto store = opened();
    expect_corrupt(store->records().workflow(workflow_.hash()),
                   "the definition of the workflow " + workflow_.hash() + " is damaged");
    expect_corrupt(store->act(PauseJob{job_.id}), workflow_.hash());
    expect_corrupt(store->records().tasks({.job = job_.id}), workflow_.hash());
    EXPECT_THAT(found(*store), testing::ElementsAre(HasSubstr(workflow_.hash())));
  }
}

TEST_F(Damage, a_task_of_a_stage_that_its_workflow_does_not_have_is_told) {
  run("UPDATE tasks SET id = id + 7 WHERE id = (SELECT min(id) FROM tasks)");
  const auto store = opened();
  expect_corrupt(store->records().tasks({.job = job_.id}),
                 "belongs to stage 8, but its workflow has 2");
  EXPECT_THAT(found(*store), testing::ElementsAre(HasSubstr("belongs to stage 8")));
  const WorkerId worker = store->enlist({.host = "here", .pid = 1}).value();
  const LaneId lane = store->ready_lanes().value().front().lane;
  ClaimRequest request{.worker = worker, .shares = {}, .max = 9};
  request.shares.push_back({.job = job_.id, .lanes = {{.id = lane}}, .max = 9});
  expect_corrupt(store->claim(request), "belongs to stage 8");
}

TEST_F(Damage, counters_of_other_stages_are_told) {
  run("UPDATE jobs SET counters = substr(counters, 1, instr(counters, '|')) || '|'");
  const auto store = opened();
  expect_corrupt(store->act(PauseJob{job_.id}), "the counters of job 1 are damaged");
}

TEST_F(Damage, what_is_no_longer_json_is_not_handed_on) {
  run("UPDATE items SET data = '{\"path\":' WHERE id = (SELECT min(id) FROM items)");
  const auto store = opened();
  expect_corrupt(store->records().items({.job = job_.id}), "item 1: the stored text is not JSON");
  EXPECT_THAT(found(*store), testing::ElementsAre(HasSubstr("item 1: ")));
  run("UPDATE items SET data = 'null'");
  EXPECT_THAT(found(*store), testing::IsEmpty());
  run("UPDATE jobs SET params = '{' || char(127) || '}'");
  expect_corrupt(store->records().job(job_.id), "job 1: the stored text is not JSON");
}

TEST_F(Damage, a_row_that_the_schema_forbids_is_found_by_the_databases_own_check) {
  run("UPDATE jobs SET generation = 0");
  const auto store = opened();
  EXPECT_THAT(found(*store), testing::Contains(HasSubstr("its own check says: CHECK constraint")));
}

TEST_F(Damage, a_damaged_page_is_found_by_the_databases_own_check) {
  std::int64_t page = 0;
  std::int64_t page_size = 0;
  {
    Connection connection(path_, Connection::Mode::read_write);
    page = connection.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'tasks_ready'");
    page_size = connection.integer("PRAGMA page_size");
    (void)connection.integer("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(page * page_size - 24);
  file << std::string(24, '\x5a');
  file.close();
  const auto store = opened();
  EXPECT_THAT(found(*store), testing::Contains(HasSubstr("its own check says: ")));
  EXPECT_FALSE(verify(store->records())->ok());
}

}  // namespace
}  // namespace pawl::sqlite
