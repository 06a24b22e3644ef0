/// The lists of the service in a store with a million rows of each kind.

#include <gmock/gmock.h>
#include <sqlite3.h>

#include "contract/large_store.hpp"
#include "sqlite/db.hpp"
#include "sqlite/fixture.hpp"
#include "sqlite/statement_record.hpp"

namespace pawl::sqlite {
namespace {

using driving::Database;
using driving::LargeRead;

/// How a statement finds its rows. The subquery of a count is a list of the rows that it found.
std::vector<std::string> scans_of(Connection& connection, const std::string& text) {
  std::vector<std::string> scans;
  Statement explain(connection.raw(), "EXPLAIN QUERY PLAN " + text);
  for (Cursor row = explain.query(); row.next();) {
    const std::string line = row.text(3);
    const bool is_scan = line.starts_with("SCAN ") && line != "SCAN listed" &&
                         line.find("CONSTANT ROW") == std::string::npos;
    if (is_scan || line.find("TEMP B-TREE") != std::string::npos) scans.push_back(line);
  }
  return scans;
}

class LargeLists : public testing::Test {
 protected:
  void fill() {
    const auto store =
        must_open({.path = path, .durability = SqliteOptions::Durability::normal}, clock);
    driving::seed_large_store(*store, clock);
    Connection connection(path, Connection::Mode::read_write);
    connection.run("BEGIN");
    const Database database{
        .numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
                   std::to_string(driving::large_count) + ") ",
        .columns =
            [&](const std::string& table) {
              std::vector<std::string> names;
              Statement columns(connection.raw(),
                                "SELECT name FROM pragma_table_info('" + table + "')");
              for (Cursor row = columns.query(); row.next();) names.push_back(row.text(0));
              return names;
            },
        .run = [&](const std::string& sql) { connection.run(sql.c_str()); }};
    driving::LargeFilling(database).fill();
    connection.run("COMMIT");
  }

  void expect_short_reads(const std::string& when) {
    StatementRecord record;
    const auto store =
        must_open({.path = path, .durability = SqliteOptions::Durability::normal}, clock);
    for (const LargeRead& read : driving::LargeReads().reads) {
      const ReadCost cost = record.cost_of([&] { read.run(store->records()); });
      // About thirty steps of SQLite's machine for each row, whose columns are read one by one.
      EXPECT_LE(cost.steps, 200 + 30 * read.rows) << when << ": " << read.name;
    }
    Connection connection(path, Connection::Mode::read_only);
    for (const std::string& text : record.texts()) {
      const bool is_list = text.starts_with("SELECT") && text.find("INDEXED BY") != text.npos;
      if (is_list) {
        EXPECT_THAT(scans_of(connection, text), testing::IsEmpty()) << text;
      }
    }
  }

  const Folder folder;
  const std::filesystem::path path = folder / "a.db";
  ManualClock clock;
};

TEST_F(LargeLists, of_a_million_rows_are_read_by_an_index_before_and_after_an_analysis) {
  fill();
  expect_short_reads("as it is");
  // An administrator may run ANALYZE; the plans must stay the same.
  Connection(path, Connection::Mode::read_write).run("ANALYZE");
  expect_short_reads("analysed");
}

}  // namespace
}  // namespace pawl::sqlite
