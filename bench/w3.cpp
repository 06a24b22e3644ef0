/// W3: one item of five stages on an idle engine, again and again. Measures the time until its end
/// is durable and reported to a subscriber, and the number of commits.
///
/// The bars are for an idle engine: both sides pause before each item, and take turns item by item.
/// Items that follow each other at once are measured too, in turns of twenty.

#include <algorithm>
#include <array>
#include <thread>

#include "bench/chain.hpp"
#include "bench/database.hpp"
#include "bench/engine_steps.hpp"
#include "bench/limits.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

constexpr std::int64_t commits_max = 6;
constexpr std::size_t items_per_round = 200;
constexpr std::int64_t warm_up = 10;
constexpr std::int64_t in_a_row = 20;
// Until the engine has noticed that nothing is left to do, and the disk is quiet again.
constexpr auto pause = std::chrono::milliseconds(3);

/// The samples of one round, item by item.
struct Round {
  std::array<double, items_per_round> ours{};
  std::array<double, items_per_round> limit{};
  std::array<std::int64_t, items_per_round> commits{};
  Written engine_wrote;
  Written limit_wrote;
};

Round on_an_idle_engine(const std::filesystem::path& parent) {
  const Folder folder(parent);
  LimitSteps limit(folder.path() / "limit.db");
  const std::filesystem::path path = folder.path() / "engine.db";
  EngineSteps engine(must(open_sqlite_store({.path = path}), "a store"));
  for (std::int64_t n = 0; n < warm_up; ++n) {
    (void)limit.next_item();
    (void)engine.next_item();
  }
  const Watch limit_watch(folder.path() / "limit.db");
  const Watch engine_watch(folder.path() / "engine.db");
  Round round;
  for (std::size_t i = 0; i < items_per_round; ++i) {
    std::this_thread::sleep_for(pause);
    round.limit[i] = limit.next_item();
    std::this_thread::sleep_for(pause);
    const std::int64_t before = transactions_of(path);
    round.ours[i] = engine.next_item();
    round.commits[i] = transactions_of(path) - before;
  }
  std::this_thread::sleep_for(pause);
  engine.stop();
  round.limit_wrote = limit_watch.wrote();
  round.engine_wrote = engine_watch.wrote();
  return round;
}

Round one_after_the_other(const std::filesystem::path& parent) {
  const Folder folder(parent);
  LimitSteps limit(folder.path() / "limit.db");
  const std::filesystem::path path = folder.path() / "engine.db";
  EngineSteps engine(must(open_sqlite_store({.path = path}), "a store"));
  Round round;
  for (std::size_t i = 0; i < items_per_round; i += in_a_row) {
    for (std::size_t k = i; k < i + in_a_row; ++k) round.limit[k] = limit.next_item();
    for (std::size_t k = i; k < i + in_a_row; ++k) {
      const std::int64_t before = transactions_of(path);
      round.ours[k] = engine.next_item();
      round.commits[k] = transactions_of(path) - before;
    }
  }
  engine.stop();
  return round;
}

double quantile_of(const auto& values, double share) {
  return quantile(std::vector<double>(values.begin(), values.end()), share);
}

/// The lines of one kind of measurement: commits, p50, p99.
Lines lines_of(const std::string& work, const std::vector<Round>& rounds) {
  Line commits{.work = work, .figure = "commits per item"};
  Line p50{.work = work, .figure = "p50 ms", .beside = "limit_steps"};
  Line p99{.work = work, .figure = "p99 ms", .beside = "limit_steps"};
  std::int64_t with_more = 0;
  std::int64_t most = 0;
  for (const Round& round : rounds) {
    commits.ours.push_back(quantile_of(round.commits, 0.5));
    p50.ours.push_back(quantile_of(round.ours, 0.5));
    p50.other.push_back(quantile_of(round.limit, 0.5));
    p99.ours.push_back(quantile_of(round.ours, 0.99));
    p99.other.push_back(quantile_of(round.limit, 0.99));
    with_more += std::ranges::count_if(round.commits, [](auto one) { return one > commits_max; });
    most = std::max(most, std::ranges::max(round.commits));
  }
  commits.notes = {"the median; " + std::to_string(with_more) + " of " +
                   std::to_string(items_per_round * rounds.size()) + " items saw more than " +
                   std::to_string(commits_max) + ", at most " + std::to_string(most) +
                   " (whatever is committed meanwhile counts, a lease renewal too)"};
  return {commits, p50, p99};
}

}  // namespace

Lines w3(const Plan& plan) {
  std::vector<Round> idle;
  std::vector<Round> following;
  for (int round = 0; round < plan.rounds; ++round) {
    idle.push_back(in_child([&] { return on_an_idle_engine(plan.folder); }));
    // Has no bar; the quick run skips it.
    if (plan.full) {
      following.push_back(in_child([&] { return one_after_the_other(plan.folder); }));
    }
  }
  const Round counted = in_child([&] {
    count_rows();
    return on_an_idle_engine(plan.folder);
  });
  Written engine = idle.back().engine_wrote;
  Written limit = idle.back().limit_wrote;
  engine.rows = counted.engine_wrote.rows;
  limit.rows = counted.limit_wrote.rows;
  must_be_equal("W3", engine, limit);

  Lines lines = lines_of("W3 idle engine", idle);
  lines[0].bar = at_most(static_cast<double>(commits_max));
  lines[0].wrote = {{"engine", engine}, {"limit_steps", limit}};
  lines[1].bar = at_most(1.4);
  lines[1].notes = {"of " + std::to_string(items_per_round) +
                    " items a round; both sides pause 3 ms before each item, and take turns"};
  lines[2].bar = at_most(1.6);
  if (!following.empty()) {
    for (Line& line : lines_of("W3 without a pause", following)) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace pawl::bench
