/// W3 on PostgreSQL: one item of five stages on an idle engine, again and again.

#include <array>
#include <chrono>
#include <cstdio>
#include <thread>

#include "bench/engine_steps.hpp"
#include "bench/postgres_server.hpp"
#include "bench/postgres_sides.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

constexpr std::size_t items_per_round = 50;
constexpr int warm_up = 5;
constexpr auto pause = std::chrono::milliseconds(3);

struct Round {
  std::array<double, items_per_round> milliseconds{};
  double writes_each = 0;
  double transactions_each = 0;
  double syncs_each = 0;
};

Round on_an_idle_engine(const std::string& server) {
  const Schema schema(server);
  (void)postgres_store(schema.store());  // creates the tables
  const ServerWatch watch(server, schema.name());
  Round round;
  {
    EngineSteps engine(postgres_store(schema.store()));
    for (int n = 0; n < warm_up; ++n) (void)engine.next_item();
    for (double& one : round.milliseconds) {
      std::this_thread::sleep_for(pause);
      one = engine.next_item();
    }
    engine.stop();
  }
  const Served served = watch.served();
  const auto each = [](std::int64_t all) {
    return static_cast<double>(all) / static_cast<double>(items_per_round + warm_up);
  };
  round.writes_each = each(served.writes);
  round.transactions_each = each(served.transactions);
  round.syncs_each = each(served.wal_syncs);
  return round;
}

}  // namespace

Lines w3_postgres(const Plan& plan) {
  const std::string& server = postgres_url(plan.folder);
  Line writes{.work = "W3 postgres", .figure = "writes per item"};
  Line p50{.work = "W3 postgres", .figure = "p50 ms"};
  Line p99{.work = "W3 postgres", .figure = "p99 ms"};
  Round round;
  const int rounds = plan.full ? plan.rounds : 1;
  for (int n = 0; n < rounds; ++n) {
    round = in_child([&] { return on_an_idle_engine(server); });
    const std::vector<double> all(round.milliseconds.begin(), round.milliseconds.end());
    writes.ours.push_back(round.writes_each);
    p50.ours.push_back(quantile(all, 0.5));
    p99.ours.push_back(quantile(all, 0.99));
  }
  char note[160];
  std::snprintf(note, sizeof note,
                "beside them the server counts %.1f transactions and %.1f WAL syncs for each item "
                "(start and end of the engine included)",
                round.transactions_each, round.syncs_each);
  writes.notes = {note};
  p50.notes = {"of " + std::to_string(items_per_round) + " items a round, 3 ms before each"};
  return {writes, p50, p99};
}

}  // namespace pawl::bench
