/// W5, the write-ahead log beside a reader: a reader pages through the journal from its beginning,
/// again and again, while W1 runs. Reads are short, so they must not hold up the log.

#include <thread>

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

struct Read {
  Sample sample;
  std::int64_t pages = 0;
};

/// Pages through the journal until it is stopped. Returns the number of pages.
std::int64_t read_on(Records& records, const std::stop_token& stop) {
  constexpr std::uint32_t page_size = 1'000;
  std::int64_t pages = 0;
  EventSeq after = 0;
  while (!stop.stop_requested()) {
    const auto page = must(records.events({.after = after, .limit = page_size}), "events");
    after = page.size() < page_size ? 0 : page.back().seq;
    ++pages;
  }
  return pages;
}

Read run(const std::filesystem::path& parent, std::int64_t items, bool with_reader) {
  const Folder folder(parent);
  const std::filesystem::path path = folder.path() / "engine.db";
  const auto store = must(open_sqlite_store({.path = path}), "a store");
  const Program program = chain();
  const JobId job = submit_to(*store, program, items);
  Read read;
  std::jthread reader;
  if (with_reader) {
    reader = std::jthread(
        [&](const std::stop_token& stop) { read.pages = read_on(store->records(), stop); });
  }
  read.sample = run_to_the_end(store, program, job, path);
  if (with_reader) {
    reader.request_stop();
    reader.join();
  }
  return read;
}

}  // namespace

Lines w5_log(const Plan& plan) {
  const std::int64_t items = plan.full ? 100'000 : 4'000;
  Line line{.work = "W5 " + count_text(items) + " and a reader",
            .figure = "log peak MiB",
            .beside = "without a reader",
            .bar = at_most(2.0)};
  const auto peak = [](const Read& read) {
    return static_cast<double>(read.sample.wrote.log_peak) / (1 << 20);
  };
  line.other = {peak(in_child([&] { return run(plan.folder, items, false); }))};
  const Read read = in_child([&] { return run(plan.folder, items, true); });
  line.ours = {peak(read)};
  line.notes = {std::to_string(read.pages) + " pages of 1,000 events were read meanwhile"};
  return {line};
}

}  // namespace pawl::bench
