/// A worker is killed hundreds of times, at random moments, and the end is the same as without
/// kills.
///
/// PAWL_SEED selects other moments, PAWL_KILLS another number of them.

#include <iostream>
#include <map>
#include <random>
#include <set>

#include "crash/crash_program.hpp"
#include "crash/processes.hpp"
#include "pawl/store/sqlite.hpp"
#include "pawl/store/verify.hpp"

namespace pawl::crash {
namespace {

std::shared_ptr<Store> must_open(const std::string& path) {
  const auto opened =
      open_sqlite_store({.path = path, .durability = SqliteOptions::Durability::normal});
  if (!opened) {
    ADD_FAILURE() << opened.error().text();
    std::abort();
  }
  return *opened;
}

JobId submit(Store& store, int count) {
  std::vector<NewItem> items;
  for (int i = 0; i < count; ++i) {
    items.push_back({.key = "item-" + std::to_string(i), .data = Json(i)});
  }
  const Marks none("");
  return store
      .submit({.workflow = steady_program(none).workflow()}, {.items = items, .close = true})
      ->job.id;
}

void expect_clean(Store& store) {
  const Result<Verification> checked = verify(store.records(), {});
  ASSERT_TRUE(checked) << checked.error().text();
  EXPECT_TRUE(checked->in_motion.empty());
  for (const Violation& one : checked->violations) {
    ADD_FAILURE() << one.invariant << ": " << one.message;
  }
}

/// The outcome of a task, and every attempt that was not interrupted: its result, its verdict, its
/// decision, and its counts before.
std::string fate(Records& records, const Task& task) {
  std::string told = "state " + std::to_string(static_cast<int>(task.kind())) + ", output " +
                     records.output(task.id)->output.text();
  const std::vector<Attempt> attempts = *records.attempts(task.id);
  for (const Attempt& one : attempts) {
    if (one.result == AttemptResult::interrupted) continue;
    told += "\n  result " + std::to_string(static_cast<int>(one.result)) + ", verdict " +
            std::to_string(one.verdict ? static_cast<int>(*one.verdict) : 0) + ", decision " +
            std::to_string(static_cast<int>(one.decision.kind)) + ", failures " +
            std::to_string(one.counts_before.failures) + ", rejections " +
            std::to_string(one.counts_before.rejections) + ", output " + one.output.text();
  }
  return told;
}

/// The outcome of every task of a job, by item, stage and child.
std::map<std::string, std::string> fates(Records& records, JobId job) {
  const Workflow workflow = *records.workflow(records.job(job)->workflow_hash);
  std::map<std::string, std::string> all;
  TaskFilter filter{.job = job, .limit = 1'000};
  for (;;) {
    const std::vector<Task> page = *records.tasks(filter);
    for (const Task& task : page) {
      const std::string key = task.item ? records.item(task.item)->key : "*";
      const std::string child = task.child ? "/" + task.child->key : "";
      const std::string name = key + "/" + workflow.stage(task.stage()).name + child;
      EXPECT_TRUE(all.emplace(name, fate(records, task)).second) << name << " is there twice";
    }
    if (page.size() < filter.limit) return all;
    filter.after = page.back().id;
  }
}

struct Totals {
  std::int64_t attempts = 0;
  std::int64_t interrupted = 0;
};
Totals totals(Records& records, JobId job) {
  Totals sum;
  TaskFilter filter{.job = job, .limit = 1'000};
  for (;;) {
    const std::vector<Task> page = *records.tasks(filter);
    for (const Task& task : page) {
      const std::vector<Attempt> attempts = *records.attempts(task.id);
      for (const Attempt& one : attempts) {
        ++sum.attempts;
        if (one.result == AttemptResult::interrupted) ++sum.interrupted;
      }
    }
    if (page.size() < filter.limit) return sum;
    filter.after = page.back().id;
  }
}

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

constexpr int item_count = 150;

// I15
TEST(Crash, a_worker_killed_hundreds_of_times_reaches_the_same_end) {
  const Folder folder;
  const std::string calm = folder / "calm.db";
  const JobId undisturbed = submit(*must_open(calm), item_count);
  ASSERT_EQ(Process::worker(calm).wait(), 0);
  std::map<std::string, std::string> expected;
  {
    const auto store = must_open(calm);
    expect_clean(*store);
    ASSERT_TRUE(store->records().job(undisturbed)->has_ended());
    expected = fates(store->records(), undisturbed);
    EXPECT_EQ(totals(store->records(), undisturbed).interrupted, 0);
  }

  const int kills_wanted = number_from("PAWL_KILLS", 220);
  std::mt19937_64 chance(static_cast<std::uint64_t>(number_from("PAWL_SEED", 1)));
  const std::string path = folder / "killed.db";
  std::vector<JobId> jobs{submit(*must_open(path), item_count)};
  int kills = 0;
  int at_the_start = 0;
  while (kills < kills_wanted && !testing::Test::HasFailure()) {
    {
      Process worker = Process::worker(path);
      const bool at_start = chance() % 5 == 0;
      const bool runs = at_start || worker.wait_until_ready();
      ASSERT_TRUE(runs) << "the worker ended with " << worker.wait();
      const auto lives = std::chrono::microseconds(chance() % (at_start ? 8'000 : 40'000));
      std::this_thread::sleep_for(lives);  // waits: the kill lands at a random moment
      worker.kill();
      if (worker.wait() == -1) {
        ++kills;
        if (at_start) ++at_the_start;
      }
    }
    const auto store = must_open(path);
    if (kills % 8 == 0) expect_clean(*store);
    if (store->records().job(jobs.back())->has_ended()) jobs.push_back(submit(*store, item_count));
  }
  ASSERT_EQ(Process::worker(path).wait(), 0) << "and at last it is let be";

  const auto store = must_open(path);
  expect_clean(*store);
  Totals sum;
  for (const JobId job : jobs) {
    const Totals of_job = totals(store->records(), job);
    sum.attempts += of_job.attempts;
    sum.interrupted += of_job.interrupted;
    EXPECT_TRUE(store->records().job(job)->has_ended());
    EXPECT_EQ(state_of(*store->records().job(job)), JobState::failed) << "some items are doomed";
    const std::map<std::string, std::string> found = fates(store->records(), job);
    EXPECT_EQ(found.size(), expected.size());
    int shown = 0;
    for (const auto& [name, fate] : expected) {
      const auto other = found.find(name);
      if (other != found.end() && other->second == fate) continue;
      if (++shown > 3) break;
      ADD_FAILURE() << "job " << job.value() << ", " << name << "\nwithout kills: " << fate
                    << "\nwith kills: " << (other == found.end() ? "missing" : other->second);
    }
  }
  EXPECT_GT(sum.interrupted, kills / 4) << "the kills hit nothing";
  std::cout << "kills: " << kills << " (" << at_the_start
            << " while starting), jobs: " << jobs.size()
            << ", attempts interrupted: " << sum.interrupted
            << ", attempts in all: " << sum.attempts << std::endl;
}

// Nothing waits for the lease, and no operator intervenes.
TEST(Crash, what_a_killed_worker_held_is_taken_up_at_once) {
  const Folder folder;
  const std::string path = folder / "store.db";
  const JobId job = submit(*must_open(path), 30);
  {
    Process worker = Process::worker(path);
    ASSERT_TRUE(worker.wait_until_ready());
    const auto store = must_open(path);
    while (store->records().tasks({.job = job, .state = StateKind::running})->empty()) {
      std::this_thread::sleep_for(1ms);  // waits: another process does not notify us
    }
    worker.kill();
    ASSERT_EQ(worker.wait(), -1);
  }
  const auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(Process::worker(path).wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 30s) << "a lease is sixty seconds";
  EXPECT_TRUE(must_open(path)->records().job(job)->has_ended());
}

}  // namespace
}  // namespace pawl::crash
