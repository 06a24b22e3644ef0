#include <algorithm>
#include <deque>
#include <utility>

#include "bench/bare_postgres.hpp"
#include "bench/postgres_sides.hpp"

namespace pawl::bench {

namespace {

constexpr std::size_t transaction_size = 1'000;

Sample carry_out(BarePostgres& rows, std::int64_t left) {
  const std::size_t in_flight_max = EngineOptions{}.parallel;
  std::deque<std::pair<std::int64_t, std::int64_t>> in_flight;  // (ordinal, stage)
  Sample sample;
  const Stopwatch time;
  for (;;) {
    // Like the engine, when a quarter of the room is free.
    const std::size_t room = in_flight_max - in_flight.size();
    if (left > 0 && room >= in_flight_max / 4) {
      const auto claimed = rows.claim(static_cast<std::int64_t>(room));
      for (const std::int64_t ordinal : claimed) in_flight.emplace_back(ordinal, 0);
      left -= std::ssize(claimed);
    }
    if (in_flight.empty()) break;
    for (std::size_t i = std::min(transaction_size, in_flight.size()); i > 0; --i) {
      const auto [ordinal, stage] = in_flight.front();
      in_flight.pop_front();
      rows.close(ordinal, stage);
      ++sample.executions;
      if (stage + 1 < chain_length) in_flight.emplace_back(ordinal, stage + 1);
    }
    rows.commit();
  }
  sample.seconds = time.seconds();
  sample.processor = time.processor();
  return sample;
}

}  // namespace

ServedSample limit_postgres(const std::string& server, std::int64_t items, Constants constants) {
  const Schema schema(server);
  {
    const auto store = postgres_store(schema.store());
    must(store->enlist({.host = "localhost", .pid = 1, .name = "limit"}), "a worker");
    (void)submit_to(*store, chain(), items);
  }
  BarePostgres::make_versions_alike(schema);
  const ServerWatch watch(server, schema.name());
  ServedSample sample;
  {
    BarePostgres rows(schema, constants);
    sample.sample = carry_out(rows, items);
  }
  sample.served = watch.served();
  return sample;
}

}  // namespace pawl::bench
