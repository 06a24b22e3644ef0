#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

Sample engine_on_sqlite(const std::filesystem::path& parent, const Program& program,
                        std::int64_t items,
                        const std::function<void(const std::filesystem::path&)>& before_start) {
  const Folder folder(parent);
  const std::filesystem::path path = folder.path() / "engine.db";
  JobId job;
  {
    const auto store = must(open_sqlite_store({.path = path}), "a store");
    job = submit_to(*store, program, items);
  }
  if (before_start) before_start(path);
  Sample sample;
  {
    const auto store = must(open_sqlite_store({.path = path}), "a store");
    sample = run_to_the_end(store, program, job, path);
  }
  sample.wrote.bytes_at_rest = bytes_at_rest(path);
  return sample;
}

}  // namespace pawl::bench
