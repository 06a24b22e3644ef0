/// The lists of the service in a store with a million rows of each kind. The server counts what a
/// read looks at.

#include <sstream>
#include <thread>

#include "contract/large_store.hpp"
#include "postgres/fixture.hpp"

namespace pawl {
namespace {

using driving::Database;
using driving::LargeRead;

class LargeLists : public testing::Test {
 protected:
  void fill() {
    driving::seed_large_store(*must_open({.url = place.url()}, clock), clock);
    const Database database{
        .numbers = "WITH n AS (SELECT i::bigint FROM generate_series(1, " +
                   std::to_string(driving::large_count) + ") AS s (i)) ",
        .columns =
            [&](const std::string& table) {
              std::istringstream names(place.execute(
                  "SELECT string_agg(column_name, ' ' ORDER BY ordinal_position) FROM "
                  "information_schema.columns WHERE table_schema = '" +
                  place.schema() + "' AND table_name = '" + table + "'"));
              return std::vector<std::string>(std::istream_iterator<std::string>(names), {});
            },
        .run = [&](const std::string& sql) { place.execute(sql); }};
    driving::LargeFilling(database).fill();
  }

  /// Rows read by scans of tables, and entries read of indexes, by all sessions that have ended.
  std::int64_t rows_looked_at() {
    return std::stoll(place.execute(
        "SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE schemaname = '" +
        place.schema() + "' AND relname IN (" + lists +
        ")) + (SELECT sum(seq_tup_read) FROM "
        "pg_stat_user_tables WHERE schemaname = '" +
        place.schema() + "' AND relname IN (" + lists + "))"));
  }

  /// A server publishes the counters of a session at the latest when the session ends.
  void wait_until_gone() {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    const std::string question =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pawl % " +
        place.schema() + "%'";
    while (place.execute(question) != "0" && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // waits: for another process
    }
  }

  void expect_short_reads(const std::string& when) {
    (void)must_open({.url = place.url()}, clock);
    wait_until_gone();
    for (const LargeRead& read : driving::LargeReads().reads) {
      const std::int64_t before = rows_looked_at();
      read.run(must_open({.url = place.url()}, clock)->records());
      wait_until_gone();
      EXPECT_LE(rows_looked_at() - before, read.rows) << when << ": " << read.name;
    }
  }

  static constexpr const char* lists =
      "'items', 'tasks', 'reviews', 'review_queue', 'audit', 'journal'";

  const PostgresPlace place;
  ManualClock clock;
};

TEST_F(LargeLists, of_a_million_rows_are_read_by_an_index_before_and_after_an_analysis) {
  fill();
  // On a slow machine the server would analyse the tables by itself, in the middle of the reads.
  for (const char* table : {"items", "tasks", "reviews", "review_queue", "audit", "journal"}) {
    place.execute("ALTER TABLE " + place.schema() + "." + table +
                  " SET (autovacuum_enabled = false)");
  }
  expect_short_reads("as it is");
  place.execute("ANALYZE");
  expect_short_reads("analysed");
}

}  // namespace
}  // namespace pawl
