/// W5, submission: how fast items are added while the store grows, with growing and with
/// pseudo-random keys, and how much memory it takes to stream them.

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

struct Streamed {
  double first_rate = 0;  ///< of the first tenth
  double last_rate = 0;
  std::int64_t peak_kib = 0;
};

Streamed stream(const std::filesystem::path& parent, std::int64_t count, Keys keys) {
  const Folder folder(parent);
  const auto store = must(open_sqlite_store({.path = folder.path() / "engine.db"}), "a store");
  const Program program = one_stage();
  const std::unique_ptr<Engine> engine = must(Engine::create(store), "an engine");
  Stopwatch watch;
  double first = 0;
  double before_last = 0;
  const ItemSource pages = items_up_to(count, keys);
  std::int64_t given = 0;
  const ItemSource timed = [&](std::vector<NewItem>& page) -> Result<bool> {
    if (given == count / 10) first = watch.seconds();
    if (given == count - count / 10) before_last = watch.seconds();
    const Result<bool> more = pages(page);
    given += static_cast<std::int64_t>(page.size());
    return more;
  };
  must(engine->submit(program.workflow(), timed), "a submission");
  const double tenth = static_cast<double>(count) / 10;
  return {.first_rate = tenth / first, .last_rate = tenth / (watch.seconds() - before_last)};
}

}  // namespace

Lines w5_submit(const Plan& plan) {
  const std::int64_t large = plan.full ? 1'000'000 : 100'000;
  const std::int64_t small = large / 10;
  Lines lines;
  for (const Keys keys : {Keys::sequential, Keys::hashed}) {
    const Streamed of_small = in_child([&] { return stream(plan.folder, small, keys); });
    const Streamed of_large = in_child([&] { return stream(plan.folder, large, keys); });
    const std::string work =
        "W5 " + count_text(large) + (keys == Keys::hashed ? " hashed keys" : " sequential keys");
    lines.push_back({.work = work,
                     .figure = "submit, items/s",
                     .ours = {of_large.last_rate},
                     .beside = "its first tenth",
                     .other = {of_large.first_rate},
                     .notes = {"the last tenth of the items, into a store that holds the others"}});
    lines.push_back({.work = work,
                     .figure = "peak MiB",
                     .ours = {static_cast<double>(of_large.peak_kib) / 1'024},
                     .beside = count_text(small) + " streamed in",
                     .other = {static_cast<double>(of_small.peak_kib) / 1'024}});
    // As in growth: below 10^5 the caches are still filling.
    if (small >= 100'000) lines.back().bar = at_most(1.3);
  }
  return lines;
}

}  // namespace pawl::bench
