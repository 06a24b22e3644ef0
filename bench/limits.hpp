#pragma once

/// The limits: the minimum work for each workload, done by a bare loop, each in its own file.

#include <cstdint>
#include <filesystem>

#include "bench/bare_rows.hpp"
#include "bench/chain.hpp"
#include "bench/sample.hpp"

namespace pawl::bench {

/// The rows of W1 in transactions of 1,000 steps, with as many items in flight as the engine's
/// default, oldest first.
[[nodiscard]] Sample limit_sqlite(const std::filesystem::path& path, std::int64_t items);

/// The same for W2: all items submitted in transactions of 10,000, then one stage of each.
struct BulkSample {
  Sample submitted;
  Sample drained;
};
[[nodiscard]] BulkSample limit_bulk(const std::filesystem::path& path, std::int64_t items,
                                    Keys keys);

/// W1 on maps in memory: the tasks, attempts with what a decision needs, events and outputs.
[[nodiscard]] Sample limit_memory(std::int64_t items);

/// Starts `/bin/true` and waits for it, `processes` times, `at_once` at once.
[[nodiscard]] Sample limit_spawn(std::int64_t processes, unsigned at_once);

/// The transactions of one W3 item, one after the other: the submission and five closes.
class LimitSteps {
 public:
  explicit LimitSteps(const std::filesystem::path& path) : rows_(path, chain(), 0) {}
  /// Runs the next item. Returns how many milliseconds it took.
  double next_item();

 private:
  BareRows rows_;
  std::int64_t number_ = 0;
};

}  // namespace pawl::bench
