/// Several processes at once, each with its own connections, on the same jobs.

#include <atomic>
#include <thread>

#include "contract/dice.hpp"
#include "postgres/fixture.hpp"

namespace pawl {
namespace {

using namespace std::chrono_literals;
using driving::stage;

/// Counts the attempts that are open at once, from the claim to the commit.
class Gauge {
 public:
  void open() {
    const int now = ++open_;
    int most = most_.load();
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void close() { --open_; }
  [[nodiscard]] int most() const { return most_; }

 private:
  std::atomic<int> open_ = 0;
  std::atomic<int> most_ = 0;
};

class Together : public testing::Test {
 protected:
  PostgresPlace place;

  /// Claims and closes until every job has ended.
  void work(std::uint64_t seed, const std::function<void(const Claimed&, bool opens)>& watch) {
    driving::Dice dice(seed);
    const auto store = must_open({.url = place.url()});
    const WorkerId worker = *store->enlist({.host = "h" + std::to_string(seed), .name = "w"});
    BatchNumber batch = 0;
    while (!HasFatalFailure()) {
      const auto jobs = store->records().jobs({.ended = false});
      ASSERT_TRUE(jobs) << jobs.error().text();
      if (jobs->empty()) break;
      const auto swept = store->sweep({.self = worker});
      ASSERT_TRUE(swept) << swept.error().text();
      ClaimRequest request =
          everything(*store, worker, 1 + static_cast<std::uint32_t>(dice.below(20)));
      if (request.shares.empty()) continue;
      const auto claims = store->claim(request);
      ASSERT_TRUE(claims) << claims.error().text();
      std::vector<Step> steps;
      for (const Claimed& one : claims->opened) {
        watch(one, true);
        const Workflow flow =
            *store->records().workflow(store->records().job(one.task.job)->workflow_hash);
        const Attempt closed = dice.one_in(5) ? driving::failed("again") : driving::succeeded();
        steps.push_back(close(flow.stage(one.task.stage()), one.task, closed));
      }
      for (const Claimed& one : claims->opened) watch(one, false);
      if (steps.empty()) continue;
      const auto committed = store->commit(worker, ++batch, steps);
      ASSERT_TRUE(committed) << committed.error().text();
      for (const StepAnswer& answer : committed->steps) {
        ASSERT_EQ(answer.outcome, StepOutcome::applied);
      }
    }
  }
};

// Issue 5: limits across machines; two workers never hold the same task
TEST_F(Together, pools_and_parallelism_hold_for_all_of_them_and_nothing_runs_twice) {
  constexpr int items_of_each = 60;
  constexpr int workers = 4;
  std::vector<StageDefinition> stages{stage("a"), stage("b", {"a"}), stage("c", {"a", "b"})};
  for (StageDefinition& one : stages) {
    one.retry.max_attempts = 50;
    one.retry.backoff = {.initial = Duration{0}, .multiplier = 1.0};
  }
  stages[1].limits = {.pool = "shared", .parallel = 3};
  const Workflow flow = driving::workflow("together", stages);
  const auto store = must_open({.url = place.url()});
  std::vector<NewItem> items;
  for (int i = 0; i < items_of_each; ++i) {
    items.push_back({.key = "i" + std::to_string(i), .category = i % 2 == 0 ? "even" : "odd"});
  }
  for (int i = 0; i < 3; ++i) {
    NewJob job{.workflow = flow};
    if (i == 0) job.parallel = 5;
    ASSERT_TRUE(store->submit(job, {.items = items, .close = true}));
  }
  Gauge pool;
  Gauge first_job;
  std::mutex mutex;
  std::set<std::pair<TaskId, AttemptNumber>> ran;
  const auto watch = [&](const Claimed& one, bool opens) {
    if (one.task.stage() == StageIndex{1}) opens ? pool.open() : pool.close();
    if (one.task.job == JobId{1}) opens ? first_job.open() : first_job.close();
    if (!opens) return;
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(ran.emplace(one.task.id, one.task.attempts).second) << "an attempt ran twice";
  };
  std::vector<std::jthread> threads;
  for (int i = 1; i <= workers; ++i) {
    threads.emplace_back([&, i] { work(static_cast<std::uint64_t>(i), watch); });
  }
  threads.clear();
  EXPECT_LE(pool.most(), 3);
  EXPECT_LE(first_job.most(), 5);
  EXPECT_GE(pool.most(), 2) << "nothing ran at once: the test tells nothing";
  std::int64_t attempts = 0;
  const auto jobs = *store->records().jobs({.limit = 10});
  for (const Job& job : jobs) {
    EXPECT_EQ(job.items.succeeded, items_of_each);
    attempts += job.attempts_opened;
  }
  EXPECT_EQ(static_cast<std::size_t>(attempts), ran.size());
  expect_sound(*store);
}

/// Four stores, each claiming as much as it can from the same jobs while the clock stands still.
/// Returns how much each of `rounds` calls of `claim` opened, over all stores.
int opened_by_four(const PostgresPlace& place, const Clock& clock, int rounds) {
  std::atomic<int> opened = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const auto store = must_open({.url = place.url()}, clock);
      const WorkerId worker = *store->enlist({.host = "h" + std::to_string(i), .name = "w"});
      for (int round = 0; round < rounds; ++round) {
        const auto claims =
            store->claim(everything(*store, worker, 1 + static_cast<std::uint32_t>(i + round) % 3));
        ASSERT_TRUE(claims) << claims.error().text();
        opened += static_cast<int>(claims->opened.size());
      }
    });
  }
  threads.clear();
  return opened;
}

std::vector<NewItem> numbered_items(int count) {
  std::vector<NewItem> items;
  for (int i = 0; i < count; ++i) items.push_back({.key = "i" + std::to_string(i)});
  return items;
}

// Issue 5: a rate is shared by all machines
TEST_F(Together, a_rate_holds_for_all_of_them_at_once) {
  StageDefinition limited = stage("limited");
  limited.limits = {.pool = "api", .rate = {.count = 7, .per = 60s}};
  const Workflow flow = driving::workflow("rated", {limited});
  ManualClock clock;
  const auto store = must_open({.url = place.url()}, clock);
  // Two jobs that share the pool.
  for (int job = 0; job < 2; ++job) {
    ASSERT_TRUE(store->submit({.workflow = flow}, {.items = numbered_items(30), .close = true}));
  }
  EXPECT_EQ(opened_by_four(place, clock, 20), 7) << "at most, and all of it";
  clock.advance(30s);
  EXPECT_EQ(opened_by_four(place, clock, 5), 0) << "the window has not passed";
  clock.advance(30s);
  EXPECT_EQ(opened_by_four(place, clock, 20), 7) << "the next window";
  expect_sound(*store);
}

TEST_F(Together, the_attempts_of_a_job_are_counted_for_all_of_them_at_once) {
  const Workflow flow = driving::workflow("budgeted", {stage("only")});
  ManualClock clock;
  const auto store = must_open({.url = place.url()}, clock);
  NewJob scarce{.workflow = flow};
  scarce.budget.max_total_attempts = 11;
  const auto first = store->submit(scarce, {.items = numbered_items(40), .close = true});
  const auto free = store->submit({.workflow = flow}, {.items = numbered_items(5), .close = true});
  ASSERT_TRUE(first && free);
  EXPECT_EQ(opened_by_four(place, clock, 20), 11 + 5);
  EXPECT_EQ(store->records().job(first->job.id)->attempts_opened, 11);
  EXPECT_EQ(store->records().job(free->job.id)->attempts_opened, 5) << "it stands in nobody's way";
  expect_sound(*store);
}

TEST_F(Together, the_log_is_dense_and_in_the_order_of_the_commits) {
  const Workflow flow = driving::workflow("log", {stage("only")});
  constexpr int jobs_of_each = 30;
  std::atomic<bool> is_over = false;
  std::vector<Event> seen;
  const auto reader = must_open({.url = place.url()});
  std::jthread follower([&] {
    for (bool last = false; !last;) {
      last = is_over;
      const auto page =
          reader->records().events({.after = seen.empty() ? 0 : seen.back().seq, .limit = 1'000});
      if (page) seen.insert(seen.end(), page->begin(), page->end());
    }
  });
  std::vector<std::jthread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      const auto store = must_open({.url = place.url()});
      for (int job = 0; job < jobs_of_each; ++job) {
        EXPECT_TRUE(store->submit({.workflow = flow}, {.items = {}, .close = true}));
      }
    });
  }
  writers.clear();
  is_over = true;
  follower.join();
  const auto all = *reader->records().events({.limit = 100'000});
  EXPECT_EQ(seen, all) << "whoever follows the log misses nothing";
  EXPECT_EQ(place.execute("SELECT count(*) = max(row) AND min(row) = 1 FROM journal"), "t");
}

TEST_F(Together, a_submission_key_makes_one_job_however_many_try_at_once) {
  const Workflow flow = driving::workflow("keyed", {stage("only")});
  const std::vector<NewItem> items{{.key = "a"}};
  std::mutex mutex;
  std::set<JobId> jobs;
  std::vector<std::jthread> threads;
  (void)must_open({.url = place.url()});
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&] {
      const auto store = must_open({.url = place.url()});
      const auto done =
          store->submit({.workflow = flow, .key = "nightly"}, {.items = items, .close = true});
      ASSERT_TRUE(done) << done.error().text();
      const std::lock_guard lock(mutex);
      jobs.insert(done->job.id);
    });
  }
  threads.clear();
  EXPECT_EQ(jobs.size(), 1U);
}

// I2, I4: a worker that is declared dead while it commits
TEST_F(Together, who_is_swept_while_it_commits_either_commits_or_is_fenced) {
  const Workflow flow = [] {
    StageDefinition only = stage("only");
    only.retry.max_interruptions = 1'000;
    return driving::workflow("swept", {only});
  }();
  const auto store = must_open({.url = place.url()});
  std::vector<NewItem> items;
  for (int i = 0; i < 40; ++i) items.push_back({.key = std::to_string(i)});
  ASSERT_TRUE(store->submit({.workflow = flow}, {.items = items, .close = true}));
  std::atomic<bool> is_over = false;
  std::jthread sweeper([&] {
    const auto mine = must_open({.url = place.url()});
    while (!is_over) EXPECT_TRUE(mine->sweep({}));
  });
  for (int round = 0; round < 500; ++round) {
    const auto jobs = store->records().jobs({.ended = false});
    if (jobs->empty()) break;
    // Its lease expires at once: every sweep declares it dead.
    const WorkerId worker = *store->enlist({.host = "h", .lease = round < 60 ? 1us : 60s});
    const auto claims = store->claim(everything(*store, worker, 5));
    if (!claims) {
      EXPECT_EQ(claims.error().code, ErrorCode::not_found) << claims.error().text();
      continue;
    }
    std::vector<Step> steps;
    for (const Claimed& one : claims->opened) {
      steps.push_back(close(flow.stage(one.task.stage()), one.task, driving::succeeded()));
    }
    const auto committed = store->commit(worker, 1, steps);
    ASSERT_TRUE(committed) << committed.error().text();
    for (const StepAnswer& answer : committed->steps) {
      EXPECT_NE(answer.outcome, StepOutcome::stale);
    }
  }
  is_over = true;
  sweeper.join();
  const Job job = store->records().job(JobId{1}).value();
  EXPECT_EQ(job.items.succeeded, 40);
  EXPECT_EQ(job.attempts_open, 0);
  expect_sound(*store);
}

}  // namespace
}  // namespace pawl
