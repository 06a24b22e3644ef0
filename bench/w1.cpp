/// W1: items through a chain of five trivial stages, every result durable before the next stage of
/// that item starts. Measures executions per second.

#include "bench/chain.hpp"
#include "bench/limits.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

/// Both sides in turns: limit, engine, limit, engine. The last run of each is kept completely.
struct Turns {
  std::vector<double> ours;
  std::vector<double> limits;
  Sample engine;
  Sample limit{.executions = 1};
};

template <class Limit, class Ours>
Turns take_turns(const Plan& plan, const Limit& limit, const Ours& ours) {
  Turns turns;
  for (int round = 0; round < plan.rounds; ++round) {
    if (!plan.ours_only) {
      turns.limit = in_child(limit);
      turns.limits.push_back(turns.limit.rate());
    }
    turns.engine = in_child(ours);
    turns.ours.push_back(turns.engine.rate());
  }
  return turns;
}

/// Our side alone, for a profiler, has no bar.
Line line_of(const Plan& plan, const char* work, const Turns& turns, const char* limit, Bar bar) {
  Line line{.work = work, .figure = "executions/s", .ours = turns.ours};
  if (!plan.ours_only) {
    line.beside = limit;
    line.other = turns.limits;
    line.bar = bar;
  }
  line.notes = {processor_text(turns.engine, turns.limit)};
  return line;
}

}  // namespace

Lines w1_sqlite(const Plan& plan) {
  const std::int64_t items = plan.chain_items();
  const auto limit = [&] {
    const Folder folder(plan.folder);
    return limit_sqlite(folder.path() / "limit.db", items);
  };
  const auto ours = [&] { return engine_on_sqlite(plan.folder, chain(), items); };
  Turns turns = take_turns(plan, limit, ours);
  Line line = line_of(plan, "W1 sqlite full", turns, "limit_sqlite", at_least(0.65));
  if (plan.ours_only) return {line};

  // The rows are counted in a separate run, because counting takes time.
  const auto counted = [](const auto& side) {
    return in_child([&] {
      count_rows();
      return side();
    });
  };
  turns.limit.wrote.rows = counted(limit).wrote.rows;
  turns.engine.wrote.rows = counted(ours).wrote.rows;
  must_be_equal(line.work, turns.engine.wrote, turns.limit.wrote);
  line.wrote = {{"engine", turns.engine.wrote}, {"limit_sqlite", turns.limit.wrote}};
  line.notes.push_back("both sides: " + text_of(turns.engine.wrote.pragmas));
  return {line};
}

Lines w1_memory(const Plan& plan) {
  const std::int64_t items = 2 * plan.chain_items();
  const Turns turns = take_turns(
      plan, [&] { return limit_memory(items); },
      [&] {
        const std::shared_ptr<Store> store = open_memory_store(system_clock());
        const Program program = chain();
        return run_to_the_end(store, program, submit_to(*store, program, items));
      });
  return {line_of(plan, "W1 memory", turns, "limit_memory", at_least(0.30))};
}

}  // namespace pawl::bench
