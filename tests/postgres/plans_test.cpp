/// No read and no write scans a whole table, whatever its filter. The server's own scan counters
/// show it.

#include <thread>

#include "contract/every_read.hpp"
#include "postgres/fixture.hpp"

namespace pawl {
namespace {

using driving::EveryRead;
using driving::LongHistory;
using driving::Read;

/// A server publishes the counters of a session at the latest when the session ends.
void wait_until_gone(const PostgresPlace& place) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const std::string question =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'pawl % " +
      place.schema() + "%'";
  while (place.execute(question) != "0" && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // waits: for another process
  }
}

// Issue 5: claim cost independent of the history; every list by index
TEST(PostgresPlans, nothing_scans_a_table_that_grows) {
  const PostgresPlace place;
  const driving::StoreKind kind{.name = "postgres", .open = [&](const Clock& clock) {
                                  return must_open({.url = place.url()}, clock);
                                }};
  LongHistory history(kind, 100);
  place.execute("ANALYZE");
  history.drive().reopen(kind);
  wait_until_gone(place);
  const std::string scans =
      "SELECT pg_stat_force_next_flush(); SELECT coalesce(string_agg(relname || ' ' || seq_scan, "
      "', ' ORDER BY relname), 'none') FROM pg_stat_user_tables WHERE schemaname = '" +
      place.schema() +
      "' AND seq_scan > 0 AND relname IN ('tasks', 'attempts', 'items', 'journal', 'reviews', "
      "'jobs', 'review_answers', 'review_queue', 'audit')";
  place.execute(
      "SELECT pg_stat_reset_single_table_counters(c.oid) FROM pg_class c "
      "WHERE relnamespace = '" +
      place.schema() + "'::regnamespace AND relkind = 'r'");
  ASSERT_EQ(place.execute(scans), "none");
  for (const Read& read : EveryRead(history).reads) {
    SCOPED_TRACE(read.name);
    read.run();
  }
  history.drive().reopen(kind);
  wait_until_gone(place);
  EXPECT_EQ(place.execute(scans), "none");
  EXPECT_NE(place.execute("SELECT sum(idx_scan) FROM pg_stat_user_tables WHERE schemaname = '" +
                          place.schema() + "' AND relname = 'tasks'"),
            "0")
      << "nothing was counted at all";
}

}  // namespace
}  // namespace pawl
