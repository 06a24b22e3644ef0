/// W6: one command for each item, `/bin/true`, with everything a command of a workflow file gets
/// (envelope, scratch directory, logs, orphan marks) and every attempt durable at its start and its
/// end. Compared with starting and waiting for as many processes, as many at once.

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <thread>

#include "bench/chain.hpp"
#include "bench/limits.hpp"
#include "bench/works.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::bench {

namespace {

Workflow one_command() {
  const auto file = load_workflow_file(
      "version: 1\nworkflow: commands\nstages:\n  run_it:\n    run: [/bin/true]\n", {});
  if (!file) give_up("the workflow of W6: " + file.error().front().message);
  return file->workflow;
}

/// The settings of the engine; the number of processes at once is the same in all.
struct Setting {
  std::string name;
  SqliteOptions::Durability durability = SqliteOptions::Durability::full;
  std::uint32_t open_max = EngineOptions{}.parallel;  ///< attempts open at once; not processes
  std::optional<Bar> bar;
};

Sample commands_on_sqlite(const std::filesystem::path& parent, std::int64_t items, unsigned at_once,
                          const Setting& setting) {
  const Folder folder(parent);
  const std::filesystem::path path = folder.path() / "engine.db";
  const std::shared_ptr<Store> store =
      must(open_sqlite_store({.path = path, .durability = setting.durability}), "a store");
  const std::unique_ptr<Engine> engine =
      must(Engine::create(store, {.threads = at_once, .parallel = setting.open_max}), "an engine");
  engine->serve(file_actions(store, {.run_directory = folder.path() / "run"}));
  const JobOptions options{.labels = Json::object({{"project", folder.path().string()}})};
  const JobId job = must(engine->submit(one_command(), items_up_to(items), options), "items");

  const Watch written(path);
  const Stopwatch watch;
  engine->start();
  const Job ended = must(engine->wait(job), "waiting for the job");
  Sample sample{.seconds = watch.seconds(),
                .processor = watch.processor(),
                .commands = processor_seconds(Whose::commands),
                .executions = ended.attempts_opened};
  if (state_of(ended) != JobState::completed) give_up("the job did not complete");
  if (sample.executions != items) give_up("an attempt was made twice");
  engine->stop();
  sample.wrote = written.wrote();
  return sample;
}

/// How the processor time was spent: by us, by the commands, or idle.
std::string time_of_processors(const Sample& sample) {
  const double all = sample.microseconds_each() * std::max(1U, std::thread::hardware_concurrency());
  std::ostringstream text;
  text << std::fixed << std::setprecision(0) << sample.processor_microseconds_each()
       << " us of processor time per attempt, its command " << sample.commands_microseconds_each()
       << " us, and " << all << " us of all processors passed";
  return text.str();
}

}  // namespace

Lines w6(const Plan& plan) {
  const std::int64_t items = plan.items > 0 ? plan.items : (plan.full ? 8'000 : 2'000);
  const unsigned at_once = 2 * std::max(1U, std::thread::hardware_concurrency());
  std::vector<Setting> settings{{.name = "W6 sqlite full", .bar = at_least(0.55)}};
  if (plan.full && !plan.ours_only) {
    // Without a bar; the quick run skips them.
    settings.push_back({.name = "W6 none ahead", .open_max = at_once});
    settings.push_back(
        {.name = "W6 sqlite normal", .durability = SqliteOptions::Durability::normal});
  }
  Lines lines;
  for (const Setting& setting : settings) {
    lines.push_back({.work = setting.name, .figure = "attempts/s"});
    if (plan.ours_only) continue;
    lines.back().beside = "limit_spawn";
    lines.back().bar = setting.bar;
  }
  for (int round = 0; round < plan.rounds; ++round) {
    for (std::size_t i = 0; i < settings.size(); ++i) {
      lines[i].notes.clear();
      if (!plan.ours_only) {
        const Sample limit = in_child([&] { return limit_spawn(items, at_once); });
        lines[i].other.push_back(limit.rate());
        lines[i].notes.push_back("limit_spawn: " + time_of_processors(limit));
      }
      const Sample engine =
          in_child([&] { return commands_on_sqlite(plan.folder, items, at_once, settings[i]); });
      lines[i].ours.push_back(engine.rate());
      lines[i].notes.push_back("engine: " + time_of_processors(engine));
      lines[i].notes.push_back(std::to_string(at_once) + " processes at once; " +
                               std::to_string(engine.wrote.transactions) + " transactions, " +
                               std::to_string(engine.wrote.traffic.syncs()) + " fsyncs");
    }
  }
  return lines;
}

}  // namespace pawl::bench
