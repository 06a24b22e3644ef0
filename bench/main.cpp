/// The benchmarks. Every figure is compared with a limit that is measured in turns in the same run:
/// an absolute rate says little on a machine that others use too.

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "bench/connections.hpp"
#include "bench/counting_vfs.hpp"
#include "bench/machine.hpp"
#include "bench/measure.hpp"
#include "bench/options.hpp"
#include "bench/postgres_server.hpp"
#include "bench/postgres_sides.hpp"
#include "bench/works.hpp"

namespace {

using namespace pawl;
using namespace pawl::bench;

/// A workload by name, with its announcement and its approximate duration. "W1" or "postgres"
/// selects every workload with that part in its name.
struct Work {
  const char* name;
  const char* what;
  int quick_seconds;
  int full_seconds;
  Lines (*measure)(const Plan&);
};

constexpr std::array works{
    Work{"W1-sqlite", "items through five trivial stages, SQLite, durability full", 8, 70,
         w1_sqlite},
    Work{"W1-memory", "the same on the memory store", 4, 20, w1_memory},
    Work{"W1-order", "the engine's order of admission beside a shuffled one", 5, 80, w1_order},
    Work{"W1-postgres", "the same on a PostgreSQL server of its own, default durability", 6, 60,
         w1_postgres},
    Work{"W1-postgres-workers", "two worker processes beside one", 5, 60, w1_postgres_workers},
    Work{"W2", "one-stage items submitted in batches, then drained", 6, 160, w2},
    Work{"W3-sqlite", "one item on an idle engine, 200 times", 8, 20, w3},
    Work{"W3-postgres", "the same on PostgreSQL", 2, 10, w3_postgres},
    Work{"W4", "a gate rejects every first attempt", 4, 60, w4},
    Work{"W5-growth", "W1 over more and more items", 5, 240, w5_growth},
    Work{"W5-log", "the log while somebody pages through the journal", 2, 40, w5_log},
    Work{"W5-backlog", "claims beside waiting retries and a paused job", 4, 180, w5_backlog},
    Work{"W5-submit", "submission into a growing store", 4, 90, w5_submit},
    Work{"W5-postgres", "claims beside finished and beside waiting work", 5, 80, w5_postgres},
    Work{"W6", "one command for each item", 3, 90, w6},
    Work{"W7-start", "starting `pawl serve` on a large store", 5, 40, w7_start},
    Work{"W7-pages", "the requests of each page while the engine works", 15, 90, w7_pages},
    Work{"W7-rate", "the requests that wrk gets answered", 7, 42, w7_rate},
    Work{"W7-live", "a thousand clients that follow events", 20, 120, w7_live},
    Work{"idle-postgres", "what an engine without work asks of the server", 4, 12, idle_postgres},
    Work{"open", "opening a large store, and `pawl status`", 4, 70, opening},
    Work{"memory", "bytes of waiting, running and sleeping work", 4, 40, memory},
};

bool is_called(const Work& work, const std::string& name) {
  return ("-" + std::string(work.name) + "-").contains("-" + name + "-");
}

bool is_wanted(const Work& work, const std::vector<std::string>& only) {
  return only.empty() ||
         std::ranges::any_of(only, [&](const std::string& name) { return is_called(work, name); });
}

void refuse_unknown(const std::vector<std::string>& only) {
  for (const std::string& name : only) {
    if (std::ranges::none_of(works, [&](const Work& work) { return is_called(work, name); })) {
      refuse("no work is called '" + name + "'");
    }
  }
}

/// People read it between the lines of the table; programs read stdout, so it goes to stderr then.
void announce(const Work& work, const Options& options) {
  std::FILE* const out = options.json ? stderr : stdout;
  std::fprintf(out, "%s%s: %s, about %d s\n", options.json ? "" : "\n", work.name, work.what,
               options.plan.full ? work.full_seconds : work.quick_seconds);
  std::fflush(out);
}

Json document(const Options& options, const Machine& machine, const Lines& lines) {
  std::vector<Json> all;
  for (const Line& line : lines) all.push_back(json_of(line));
  return Json::object({{"machine", json_of(machine)},
                       {"mode", options.plan.full ? "full" : "quick"},
                       {"rounds", options.plan.rounds},
                       {"lines", Json::array(all)}});
}

}  // namespace

int main(int count, char** arguments) {
  Options options = options_from(count, arguments);
  if (!options.steps_of.empty()) {
    count_steps(options.steps_of, options.steps_items, options.plan.folder);
    return 0;
  }
  if (!options.drain.empty()) return drain(options.drain);
  refuse_unknown(options.only);
  count_traffic();
  watch_connections();

  const Machine machine = this_machine(options.plan.folder);
  if (!options.json) {
    std::printf("%s\n", text_of(machine).c_str());
    print_heading();
  }
  const Folder folder(options.plan.folder);
  options.plan.folder = folder.path();
  leave_nothing_in(folder.path());
  Lines lines;
  for (const Work& work : works) {
    if (!is_wanted(work, options.only)) continue;
    announce(work, options);
    for (Line& line : work.measure(options.plan)) {
      if (!options.json) print(line);
      lines.push_back(std::move(line));
    }
  }
  stop_postgres();
  if (options.json) std::printf("%s\n", document(options, machine, lines).text().c_str());
  const auto missed = std::ranges::count_if(lines, &Line::is_missed);
  if (!options.json) std::printf("\n%lld bars missed\n", static_cast<long long>(missed));
  return missed > 0 ? 1 : 0;
}
