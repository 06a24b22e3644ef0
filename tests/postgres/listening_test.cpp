/// Commits of other processes are noticed without constant queries, even after the listening was
/// interrupted.

#include <thread>

#include "postgres/fixture.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;

bool comes_true(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(2ms);  // waits: for another thread, and no longer than it takes
  }
  return true;
}

class Listening : public testing::Test {
 protected:
  PostgresPlace place;
  Workflow flow = driving::workflow("w", {driving::stage("only")});

  static void submit(Store& store, const Workflow& flow) {
    const std::vector<NewItem> items{{.key = "a"}};
    ASSERT_TRUE(store.submit({.workflow = flow}, {.items = items, .close = true}));
  }
  /// Listens, with no earlier news left.
  static std::uint64_t settled_mark(Store& store) {
    std::uint64_t mark = store.change_mark();
    comes_true([&] {
      const std::uint64_t before = std::exchange(mark, store.change_mark());
      return mark == before && (mark >> 32U) > 0;
    });
    return mark;
  }
};

TEST_F(Listening, a_commit_of_another_process_changes_the_mark) {
  // Far longer than the test, so only a notification can be the cause.
  const auto here = must_open({.url = place.url(), .look_every = 10min});
  const auto there = must_open({.url = place.url()});
  submit(*there, flow);
  const std::uint64_t before = settled_mark(*here);
  submit(*there, flow);
  EXPECT_TRUE(comes_true([&] { return here->change_mark() != before; }));
}

TEST_F(Listening, one_that_listens_itself_tells_the_others_too) {
  const auto here = must_open({.url = place.url(), .look_every = 10min});
  const auto there = must_open({.url = place.url(), .look_every = 10min});
  submit(*there, flow);
  (void)settled_mark(*there);
  const std::uint64_t before = settled_mark(*here);
  submit(*there, flow);
  EXPECT_TRUE(comes_true([&] { return here->change_mark() != before; }));
}

TEST_F(Listening, where_a_notification_is_lost_the_log_is_looked_at) {
  const auto here = must_open({.url = place.url(), .look_every = 50ms});
  submit(*here, flow);
  const std::uint64_t before = settled_mark(*here);
  place.execute("UPDATE counters SET value = value + 1 WHERE name = 'journal'");
  EXPECT_TRUE(comes_true([&] { return here->change_mark() != before; }));
}

TEST_F(Listening, goes_on_after_its_connection_was_killed) {
  const auto here = must_open({.url = place.url(), .look_every = 10min});
  const auto there = must_open({.url = place.url()});
  submit(*there, flow);
  std::uint64_t before = settled_mark(*here);
  place.execute(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
      "WHERE application_name = 'pawl listener " +
      place.schema() + "'");
  EXPECT_TRUE(comes_true([&] { return here->change_mark() != before; })) << "it looks at once";
  before = settled_mark(*here);
  EXPECT_TRUE(comes_true([&] {
    submit(*there, flow);
    return here->change_mark() != before;
  }));
}

/// Leases, retries and deadlines use one clock, whatever the clocks of the machines show.
TEST_F(Listening, the_clock_is_the_servers) {
  const auto store = open_postgres_store({.url = place.url()});
  ASSERT_TRUE(store);
  const auto server =
      std::stoll(place.execute("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"));
  const auto ours = (*store)->now().time_since_epoch().count();
  EXPECT_LT(std::abs(server - ours), 1'000'000);
}

}  // namespace
}  // namespace pawl
