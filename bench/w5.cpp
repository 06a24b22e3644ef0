/// W5: what grows with the work, and what must not: the cost of an execution, the most memory ever
/// held, and the time a claim takes beside a backlog that cannot run now.

#include <thread>

#include "bench/chain.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

constexpr std::uint32_t claim_size = 100;
constexpr int claims = 50;

/// Waits until every item has failed once and is to be tried again tomorrow.
void make_waiting_retries(const std::shared_ptr<Store>& store, std::int64_t count) {
  const Program program = failing_stage();
  const std::unique_ptr<Engine> engine = must(Engine::create(store), "an engine");
  engine->serve(program);
  const JobId job = must(engine->submit(program.workflow(), items_up_to(count)), "retries");
  engine->start();
  for (;;) {
    const Job seen = must(store->records().job(job), "the job");
    if (seen.stages.front()[StateKind::retry_scheduled] == count) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  engine->stop();
}

void make_paused_job(Store& store, const Program& program, std::int64_t count) {
  const JobId job = must(store.create_job({.workflow = program.workflow()}), "a job").id;
  const ItemSource source = items_up_to(count);
  for (bool more = true; more;) {
    std::vector<NewItem> page;
    more = *source(page);
    must(store.add_items({.job = job, .items = page, .close = !more}), "items");
  }
  must(store.act(PauseJob{.job = job}), "a pause");
}

/// How long one turn takes (look for lanes with work, claim 100 tasks, sweep) beside a backlog of
/// retries and of a paused job. The disk is not waited for: it is the queries that could grow.
Sample turns_beside(const std::filesystem::path& parent, std::int64_t backlog) {
  const Folder folder(parent);
  const auto store = must(open_sqlite_store({.path = folder.path() / "backlog.db",
                                             .durability = SqliteOptions::Durability::normal}),
                          "a store");
  const Program program = chain();
  if (backlog > 0) {
    make_waiting_retries(store, backlog);
    make_paused_job(*store, program, backlog);
  }
  const WorkerId worker = must(store->enlist({.host = "localhost", .name = "w5"}), "a worker");
  const JobId job = must(store->create_job({.workflow = program.workflow()}), "a job").id;
  std::vector<NewItem> items;
  for (std::int64_t n = 0; n < claim_size * claims; ++n) items.push_back(nth_item(n));
  must(store->add_items({.job = job, .items = items, .close = true}), "items");

  std::vector<double> turns;
  for (int i = 0; i < claims; ++i) {
    const Stopwatch watch;
    LaneShare share{.job = job, .lanes = {}, .max = claim_size};
    for (const LaneHead& head : must(store->ready_lanes(), "lanes")) {
      if (head.job == job) share.lanes.push_back({.id = head.lane, .stage = head.stage});
    }
    const Claims claimed = must(store->claim({.worker = worker, .shares = {share}}), "a claim");
    const Swept swept = must(store->sweep({.self = worker}), "a sweep");
    turns.push_back(watch.seconds() * 1e3);
    if (claimed.opened.size() != claim_size) give_up("a claim came back short");
    if (swept.woken > 0) give_up("a retry woke a day early");
  }
  return {.ours = {quantile(turns, 0.5), quantile(turns, 0.99)}};
}

std::string count_text(std::int64_t count) {
  int zeros = 0;
  while (count % 10 == 0 && count > 1) {
    count /= 10;
    ++zeros;
  }
  return count == 1 ? "10^" + std::to_string(zeros)
                    : std::to_string(count) + "e" + std::to_string(zeros);
}

}  // namespace

std::vector<Line> w5_growth(const Plan& plan) {
  std::vector<std::int64_t> sizes{10'000, 100'000};
  if (plan.full) sizes.push_back(1'000'000);
  std::vector<Sample> samples;
  std::vector<double> costs_of_first;
  for (const std::int64_t size : sizes) {
    samples.push_back(in_child([&] { return engine_on_sqlite(plan.folder, false, size); }));
    // The small one takes turns with the large ones: the machine changes while they run.
    if (size != sizes.front()) {
      costs_of_first.push_back(in_child([&] {
                                 return engine_on_sqlite(plan.folder, false, sizes.front());
                               }).microseconds_each());
    }
  }
  costs_of_first.push_back(samples.front().microseconds_each());

  std::vector<Line> lines;
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    // The bar is on a million items beside 10^5; what caches hold is still growing before that.
    const std::optional<Bar> memory_bar =
        sizes[i - 1] >= 100'000 ? std::optional(at_most(1.3)) : std::nullopt;
    lines.push_back(compared("W5 " + count_text(sizes[i]) + " items", "us/execution",
                             {samples[i].microseconds_each()}, count_text(sizes.front()) + " items",
                             costs_of_first, at_most(1.3)));
    lines.push_back(compared("W5 " + count_text(sizes[i]) + " items", "peak MiB",
                             {static_cast<double>(samples[i].peak_kib) / 1'024},
                             count_text(sizes[i - 1]) + " items",
                             {static_cast<double>(samples[i - 1].peak_kib) / 1'024}, memory_bar));
  }
  return lines;
}

std::vector<Line> w5_backlog(const Plan& plan) {
  const std::int64_t small = 10'000;
  const std::int64_t large = plan.full ? 1'000'000 : 100'000;
  std::vector<double> empty;
  std::vector<double> beside_small;
  std::vector<double> beside_large;
  const auto turn = [&](std::int64_t backlog) {
    return in_child([&] { return turns_beside(plan.folder, backlog); }).ours.p50_ms;
  };
  for (int round = 0; round < 2; ++round) {
    empty.push_back(turn(0));
    beside_small.push_back(turn(small));
    if (round == 0) beside_large.push_back(turn(large));
  }
  const std::string work = "W5 beside " + count_text(large);
  std::vector<Line> lines{
      compared(work, "claim of 100, ms", beside_large, "an empty store", empty, at_most(1.3)),
      compared(work, "claim of 100, ms", beside_large, "beside " + count_text(small), beside_small,
               at_most(1.3))};
  lines.back().notes = {"beside so many waiting retries, and a paused job of as many items"};
  return lines;
}

}  // namespace pawl::bench
