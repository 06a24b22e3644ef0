#pragma once

/// The workloads, each in its own file. Each measures both sides in turns and returns its lines.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "bench/report.hpp"
#include "pawl/runtime/program.hpp"

namespace pawl::bench {

struct Plan {
  std::filesystem::path folder;  ///< where the databases go
  bool full = true;              ///< otherwise every workload is small
  int rounds = 3;                ///< turns of each side
  std::int64_t items = 0;        ///< of W1, W4, W6 and W7; 0: as `full` says
  bool ours_only = false;        ///< for a profiler: skips the limits of W1 and W6

  [[nodiscard]] std::int64_t chain_items() const {
    return items > 0 ? items : (full ? 40'000 : 6'000);
  }
};

using Lines = std::vector<Line>;

[[nodiscard]] Lines w1_sqlite(const Plan& plan);
[[nodiscard]] Lines w1_memory(const Plan& plan);
[[nodiscard]] Lines w1_order(const Plan& plan);
[[nodiscard]] Lines w1_postgres(const Plan& plan);
[[nodiscard]] Lines w1_postgres_workers(const Plan& plan);
[[nodiscard]] Lines w2(const Plan& plan);
[[nodiscard]] Lines w3(const Plan& plan);
[[nodiscard]] Lines w3_postgres(const Plan& plan);
[[nodiscard]] Lines w4(const Plan& plan);
[[nodiscard]] Lines w5_growth(const Plan& plan);
[[nodiscard]] Lines w5_log(const Plan& plan);
[[nodiscard]] Lines w5_backlog(const Plan& plan);
[[nodiscard]] Lines w5_submit(const Plan& plan);
[[nodiscard]] Lines w5_postgres(const Plan& plan);
[[nodiscard]] Lines w6(const Plan& plan);
[[nodiscard]] Lines w7_start(const Plan& plan);
[[nodiscard]] Lines w7_pages(const Plan& plan);
[[nodiscard]] Lines w7_rate(const Plan& plan);
[[nodiscard]] Lines w7_live(const Plan& plan);
[[nodiscard]] Lines idle_postgres(const Plan& plan);
[[nodiscard]] Lines opening(const Plan& plan);
[[nodiscard]] Lines memory(const Plan& plan);

/// One run of our engine over the program on a new SQLite file in `folder`, with full durability.
/// `before_start`, if given, may change the closed database in between.
[[nodiscard]] Sample engine_on_sqlite(
    const std::filesystem::path& folder, const Program& program, std::int64_t items,
    const std::function<void(const std::filesystem::path&)>& before_start = {});

/// Runs items through the stages without any randomness, for a tool that counts instructions;
/// prints the number of executions. `store`: memory, sqlite, or retry, which is sqlite with a gate
/// that rejects every first attempt.
void count_steps(const std::string& store, std::int64_t items, const std::filesystem::path& folder);

}  // namespace pawl::bench
