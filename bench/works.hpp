#pragma once

/// The works, each in its file. Every one measures our side and the other side in turns and
/// answers its lines.

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/report.hpp"

namespace pawl::bench {

struct Plan {
  std::filesystem::path folder;  ///< where the databases go
  bool full = false;
  int rounds = 3;
  std::int64_t items = 0;  ///< of W1 and W4; 0: as `full` says
  bool ours_only = false;  ///< for a profiler: the limits are left out

  [[nodiscard]] std::int64_t chain_items() const {
    return items > 0 ? items : (full ? 40'000 : 8'000);
  }
};

[[nodiscard]] Line w1_sqlite(const Plan& plan);
[[nodiscard]] Line w1_memory(const Plan& plan);
[[nodiscard]] std::vector<Line> w3(const Plan& plan);
[[nodiscard]] Line w4(const Plan& plan);
[[nodiscard]] std::vector<Line> w5_growth(const Plan& plan);
[[nodiscard]] std::vector<Line> w5_backlog(const Plan& plan);
[[nodiscard]] Line w6(const Plan& plan);

/// One run of our engine over the chain on a fresh SQLite file in `folder`, durability full.
[[nodiscard]] Sample engine_on_sqlite(const std::filesystem::path& folder, bool rejecting,
                                      std::int64_t items);

}  // namespace pawl::bench
