/// W1: items through a chain of five trivial stages, every result durable before the next stage of
/// that item starts. Executions a second.

#include "bench/chain.hpp"
#include "bench/limits.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

/// Our side alone, for a profiler, has nothing to be measured by.
Line beside_limit(const Plan& plan, const char* work, const std::vector<double>& ours,
                  const char* limit, const std::vector<double>& limits, Bar bar) {
  if (plan.ours_only) return compared(work, "executions/s", ours, "", {}, std::nullopt);
  return compared(work, "executions/s", ours, limit, limits, bar);
}

}  // namespace

Sample engine_on_sqlite(const std::filesystem::path& parent, bool rejecting, std::int64_t items) {
  const Folder folder(parent);
  const std::filesystem::path path = folder.path() / "engine.db";
  Sample sample;
  {
    const auto store = must(open_sqlite_store({.path = path}), "a store");
    sample = run_to_the_end(store, rejecting ? rejecting_chain() : chain(), items,
                            [&] { return transactions_of(path); });
  }
  const std::int64_t transactions = sample.wrote.transactions;
  sample.wrote = written_to(path);
  sample.wrote.transactions = transactions;
  return sample;
}

Line w1_sqlite(const Plan& plan) {
  const std::int64_t items = plan.chain_items();
  std::vector<double> ours;
  std::vector<double> limits;
  Sample engine;
  Sample limit{.executions = 1};
  for (int round = 0; round < plan.rounds; ++round) {
    if (!plan.ours_only) {
      limit = in_child([&] {
        const Folder folder(plan.folder);
        return limit_sqlite(folder.path() / "limit.db", items);
      });
      limits.push_back(limit.rate());
    }
    engine = in_child([&] { return engine_on_sqlite(plan.folder, false, items); });
    ours.push_back(engine.rate());
  }
  Line line = beside_limit(plan, "W1 sqlite full", ours, "limit_sqlite", limits, at_least(0.60));
  line.notes = {"ours wrote " + text_of(engine.wrote, engine.executions),
                processor_text(engine, limit)};
  if (!plan.ours_only) {
    line.notes.push_back("limit wrote " + text_of(limit.wrote, limit.executions));
  }
  return line;
}

Line w1_memory(const Plan& plan) {
  const std::int64_t items = 2 * plan.chain_items();
  std::vector<double> ours;
  std::vector<double> limits;
  Sample engine;
  Sample limit{.executions = 1};
  for (int round = 0; round < plan.rounds; ++round) {
    if (!plan.ours_only) {
      limit = in_child([&] { return limit_memory(items); });
      limits.push_back(limit.rate());
    }
    engine =
        in_child([&] { return run_to_the_end(open_memory_store(system_clock()), chain(), items); });
    ours.push_back(engine.rate());
  }
  Line line = beside_limit(plan, "W1 memory", ours, "limit_memory", limits, at_least(0.40));
  line.notes = {processor_text(engine, limit)};
  return line;
}

}  // namespace pawl::bench
