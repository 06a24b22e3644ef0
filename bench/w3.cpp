/// W3: one item of five stages on an idle engine, again and again. How long it takes until its end
/// is durable and told to a subscriber, and how many commits that costs.

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "bench/chain.hpp"
#include "bench/limits.hpp"
#include "bench/works.hpp"

namespace pawl::bench {

namespace {

/// Lets a thread wait for the next settled item.
class SettledItems {
 public:
  void note(const Event& event) {
    if (event.type != EventType::item_settled) return;
    {
      const std::lock_guard lock(mutex_);
      ++count_;
    }
    changed_.notify_one();
  }
  void wait_for(std::int64_t count) {
    std::unique_lock lock(mutex_);
    const auto there = [&] { return count_ >= count; };
    if (!changed_.wait_for(lock, std::chrono::seconds(30), there)) {
      give_up("an item did not settle within 30 seconds");
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t count_ = 0;
};

struct Times {
  std::vector<double> ours;
  std::vector<double> limit;
  std::vector<double> commits;
};

/// In turns: an item of the limit, then one of the engine, which has been idle meanwhile.
Times take_turns(const std::filesystem::path& folder, std::int64_t items) {
  const std::filesystem::path path = folder / "engine.db";
  LimitSteps limit(folder / "limit.db");
  SettledItems settled;
  const auto store = must(open_sqlite_store({.path = path}), "a store");
  const Program program = chain();
  const std::unique_ptr<Engine> engine = must(Engine::create(store), "an engine");
  engine->serve(program);
  engine->start();
  const JobId job = must(
      engine->submit(program.workflow(), std::vector<NewItem>{}, {.keep_open = true}), "a job");
  const Subscription subscription =
      engine->subscribe(0, [&](const Event& event) { settled.note(event); });

  constexpr std::int64_t warm_up = 10;
  // Until the engine has seen that nothing is left to do, and the disk is quiet again.
  constexpr auto settling = std::chrono::milliseconds(3);
  Times times;
  for (std::int64_t n = 0; n < warm_up + items; ++n) {
    std::this_thread::sleep_for(settling);
    const double bare = limit.next_item();
    std::this_thread::sleep_for(settling);
    const std::int64_t before = transactions_of(path);
    const Stopwatch watch;
    must(engine->add_items(job, {nth_item(n)}), "an item");
    settled.wait_for(n + 1);
    const double taken = watch.seconds() * 1e3;
    if (n < warm_up) continue;
    times.limit.push_back(bare);
    times.ours.push_back(taken);
    times.commits.push_back(static_cast<double>(transactions_of(path) - before));
  }
  engine->stop();
  return times;
}

Sample summed_up(const Times& times) {
  return {
      .ours = {quantile(times.ours, 0.5), quantile(times.ours, 0.99)},
      .limit = {quantile(times.limit, 0.5), quantile(times.limit, 0.99)},
      .commits_per_item = quantile(times.commits, 0.5),
      .most_commits = quantile(times.commits, 1.0),
      .items_with_more = std::ranges::count_if(times.commits, [](double one) { return one > 6; })};
}

}  // namespace

std::vector<Line> w3(const Plan& plan) {
  constexpr std::int64_t items = 200;
  std::vector<double> p50;
  std::vector<double> p99;
  std::vector<double> limit_p50;
  std::vector<double> limit_p99;
  std::vector<double> commits;
  std::int64_t with_more = 0;
  double most = 0;
  for (int round = 0; round < plan.rounds; ++round) {
    const Sample sample = in_child([&] {
      const Folder folder(plan.folder);
      return summed_up(take_turns(folder.path(), items));
    });
    p50.push_back(sample.ours.p50_ms);
    p99.push_back(sample.ours.p99_ms);
    limit_p50.push_back(sample.limit.p50_ms);
    limit_p99.push_back(sample.limit.p99_ms);
    commits.push_back(sample.commits_per_item);
    with_more += sample.items_with_more;
    most = std::max(most, sample.most_commits);
  }
  Line counted = compared("W3 sqlite full", "commits per item", commits, "", {}, at_most(6.0));
  counted.notes = {std::to_string(with_more) + " of " + std::to_string(items * plan.rounds) +
                   " items saw more, at most " + std::to_string(static_cast<int>(most)) +
                   " (a lease renewal counts too)"};
  return {counted,
          compared("W3 sqlite full", "p50 ms", p50, "limit_steps", limit_p50, at_most(1.3)),
          compared("W3 sqlite full", "p99 ms", p99, "limit_steps", limit_p99, at_most(1.5))};
}

}  // namespace pawl::bench
