/// W5, growth: W1 over more and more items. The cost of an execution, the peak memory and the log
/// must not grow with them; the size of the store at rest is reported.

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

Lines w5_growth(const Plan& plan) {
  const std::vector<std::int64_t> sizes =
      plan.full ? std::vector<std::int64_t>{10'000, 100'000, 1'000'000}
                : std::vector<std::int64_t>{4'000, 20'000};
  const auto run = [&](std::int64_t size) {
    return in_child([&] { return engine_on_sqlite(plan.folder, chain(), size); });
  };
  std::vector<Sample> samples{run(sizes.front())};
  // The small size takes turns with the large ones, because the machine changes while they run.
  std::vector<double> costs_of_first{samples.front().microseconds_each()};
  std::vector<double> processor_of_first{samples.front().processor_microseconds_each()};
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    samples.push_back(run(sizes[i]));
    const Sample again = run(sizes.front());
    costs_of_first.push_back(again.microseconds_each());
    processor_of_first.push_back(again.processor_microseconds_each());
  }

  Lines lines;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const std::string work = "W5 " + count_text(sizes[i]) + " items";
    const std::string smaller = count_text(sizes[i - 1]) + " items";
    const Sample& before = samples[i - 1];
    const Sample& now = samples[i];
    lines.push_back({.work = work,
                     .figure = "us/execution",
                     .ours = {now.microseconds_each()},
                     .beside = count_text(sizes.front()) + " items",
                     .other = costs_of_first,
                     .bar = at_most(1.3)});
    // A long run meets other users of the machine that a short one misses; this figure depends less
    // on them.
    lines.push_back({.work = work,
                     .figure = "processor us/exec.",
                     .ours = {now.processor_microseconds_each()},
                     .beside = count_text(sizes.front()) + " items",
                     .other = processor_of_first});
    lines.push_back({.work = work,
                     .figure = "peak MiB",
                     .ours = {now.peak_mebibytes()},
                     .beside = smaller,
                     .other = {before.peak_mebibytes()}});
    // The bars compare a million items with 10^5; below that, caches are still filling.
    if (sizes[i - 1] >= 100'000) lines.back().bar = at_most(1.3);
    const auto mebibytes = [](std::int64_t bytes) {
      return static_cast<double>(bytes) / (1 << 20);
    };
    lines.push_back({.work = work,
                     .figure = "log peak MiB",
                     .ours = {mebibytes(now.wrote.log_peak)},
                     .beside = smaller,
                     .other = {mebibytes(before.wrote.log_peak)}});
    if (i + 1 == sizes.size()) lines.back().bar = at_most(2.0);
    const auto at_rest = [](const Sample& sample) {
      return static_cast<double>(sample.wrote.bytes_at_rest) /
             static_cast<double>(sample.executions);
    };
    lines.push_back({.work = work,
                     .figure = "bytes/execution",
                     .ours = {at_rest(now)},
                     .beside = smaller,
                     .other = {at_rest(before)},
                     .notes = {"of the file at rest, items and indexes included"}});
  }
  return lines;
}

}  // namespace pawl::bench
