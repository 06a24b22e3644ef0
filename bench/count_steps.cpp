/// The steps of a chain without clocks, threads or randomness, so that their instructions can be
/// counted reproducibly.

#include <cstdio>

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

/// The only part that bench/instructions.py counts; it finds this function by its name.
[[gnu::noinline]] void counted_steps(Engine& engine);
void counted_steps(Engine& engine) { engine.run_until_idle(); }

void count_steps(const std::string& store_name, std::int64_t items,
                 const std::filesystem::path& parent) {
  const Folder folder(parent);
  const ManualClock clock;
  const std::shared_ptr<Store> store =
      store_name == "memory"
          ? open_memory_store(clock)
          : must(open_sqlite_store({.path = folder.path() / "steps.db"}, clock), "a store");
  const Program program = store_name == "retry" ? rejecting_chain() : chain();
  const JobId job = submit_to(*store, program, items);
  const std::unique_ptr<Engine> engine =
      must(Engine::create(store, {.threads = 0}, clock), "an engine");
  engine->serve(program);
  counted_steps(*engine);
  const Job ended = must(store->records().job(job), "the job");
  if (state_of(ended) != JobState::completed) give_up("the job did not complete");
  std::printf("%lld\n", static_cast<long long>(ended.attempts_opened));
}

}  // namespace pawl::bench
