#include <deque>
#include <utility>

#include "bench/chain.hpp"
#include "bench/limits.hpp"

namespace pawl::bench {

namespace {

constexpr std::size_t transaction_size = 1'000;

}  // namespace

Sample limit_sqlite(const std::filesystem::path& path, std::int64_t items) {
  const std::size_t in_flight_max = EngineOptions{}.parallel;
  Sample sample;
  {
    BareRows rows(path, items);
    std::deque<std::pair<std::int64_t, std::int64_t>> in_flight;  // (ordinal, stage)
    std::int64_t left = items;

    const Stopwatch watch;
    for (;;) {
      // As the engine does: in its own transaction, when a quarter of the room is free.
      const std::size_t room = in_flight_max - in_flight.size();
      if (left > 0 && room >= in_flight_max / 4) {
        rows.begin();
        const auto claimed = rows.claim(static_cast<std::int64_t>(room));
        rows.commit();
        for (const std::int64_t ordinal : claimed) in_flight.emplace_back(ordinal, 0);
        left -= static_cast<std::int64_t>(claimed.size());
      }
      if (in_flight.empty()) break;
      rows.begin();
      for (std::size_t i = std::min(transaction_size, in_flight.size()); i > 0; --i) {
        const auto [ordinal, stage] = in_flight.front();
        in_flight.pop_front();
        rows.close(ordinal, stage);
        ++sample.executions;
        if (stage + 1 < chain_length) in_flight.emplace_back(ordinal, stage + 1);
      }
      rows.commit();
    }
    sample.seconds = watch.seconds();
    sample.processor = watch.processor();
    sample.wrote.transactions = rows.transactions();
  }
  const std::int64_t transactions = sample.wrote.transactions;
  sample.wrote = written_to(path);
  sample.wrote.transactions = transactions;
  return sample;
}

}  // namespace pawl::bench
