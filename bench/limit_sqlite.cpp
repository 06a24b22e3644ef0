#include <algorithm>
#include <deque>
#include <utility>

#include "bench/limits.hpp"

namespace pawl::bench {

namespace {

constexpr std::size_t transaction_size = 1'000;

/// Processes `left` waiting items through all their stages.
Sample drain(BareRows& rows, std::int64_t left, const std::filesystem::path& path) {
  const std::size_t in_flight_max = EngineOptions{}.parallel;
  std::deque<std::pair<std::int64_t, std::int64_t>> in_flight;  // (ordinal, stage)
  Sample sample;
  const Watch watch(path);
  const Stopwatch time;
  for (;;) {
    // Like the engine: in its own transaction, when a quarter of the room is free.
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
      if (stage + 1 < rows.stages()) in_flight.emplace_back(ordinal, stage + 1);
    }
    rows.commit();
  }
  sample.seconds = time.seconds();
  sample.processor = time.processor();
  sample.wrote = watch.wrote();
  return sample;
}

Sample submit(BareRows& rows, std::int64_t items, Keys keys, const std::filesystem::path& path) {
  Sample sample{.executions = items};
  const Watch watch(path);
  const Stopwatch time;
  const ItemSource source = items_up_to(items, keys);
  for (bool more = true; more;) {
    std::vector<NewItem> page;
    more = *source(page);
    rows.begin();
    for (const NewItem& item : page) rows.add_waiting_item(item);
    rows.commit();
  }
  sample.seconds = time.seconds();
  sample.processor = time.processor();
  sample.wrote = watch.wrote();
  return sample;
}

}  // namespace

Sample limit_sqlite(const std::filesystem::path& path, std::int64_t items) {
  Sample sample;
  {
    BareRows rows(path, chain(), items);
    sample = drain(rows, items, path);
  }
  sample.wrote.bytes_at_rest = bytes_at_rest(path);
  return sample;
}

BulkSample limit_bulk(const std::filesystem::path& path, std::int64_t items, Keys keys) {
  BareRows rows(path, one_stage(), 0);
  BulkSample sample;
  sample.submitted = submit(rows, items, keys, path);
  sample.drained = drain(rows, items, path);
  return sample;
}

}  // namespace pawl::bench
