/// Several processes on one file, and what remains if one of them is killed.

#include <csignal>

#include "sqlite/fixture.hpp"

namespace pawl::sqlite {
namespace {

/// A child process that writes one byte when it is ready, and waits to be killed.
struct Paused {
  pid_t pid = 0;
  int pipe = -1;

  explicit Paused(const std::function<bool()>& body) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    pid = ::fork();
    if (pid == 0) {
      ::close(ends[0]);
      const char byte = body() ? 'y' : 'n';
      (void)!::write(ends[1], &byte, 1);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    pipe = ends[0];
  }
  [[nodiscard]] bool came_so_far() const {
    char byte = 0;
    return ::read(pipe, &byte, 1) == 1 && byte == 'y';
  }
  void kill() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ::close(pipe);
  }
};

TEST(Turnstile, two_processes_write_in_turns_and_neither_fails) {
  const Folder folder;
  (void)must_open({.path = folder / "a.db"});
  constexpr int writes = 300;
  std::vector<pid_t> children;
  for (int i = 0; i < 2; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const auto store = open_sqlite_store(
          {.path = folder / "a.db", .durability = SqliteOptions::Durability::normal});
      if (!store) ::_exit(1);
      const auto worker = (*store)->enlist({.host = "h", .pid = ::getpid(), .name = "n"});
      if (!worker) ::_exit(2);
      for (int n = 0; n < writes; ++n) {
        if (!(*store)->renew(*worker)) ::_exit(3);
        if (!(*store)->commit(*worker, n + 1, {})) ::_exit(4);
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
  const auto store = must_open({.path = folder / "a.db"});
  const std::vector<WorkerRecord> workers = store->records().workers().value();
  EXPECT_EQ(workers.size(), 2u);
  for (const WorkerRecord& worker : workers) {
    EXPECT_EQ(worker.last_batch, writes);
  }
}

TEST(Turnstile, two_stores_on_one_file_see_each_others_writes_in_their_next) {
  const Folder folder;
  ManualClock clock;
  const Workflow workflow = two_stages();
  const auto one = must_open({.path = folder / "a.db"}, clock);
  const auto two = must_open({.path = folder / "a.db"}, clock);
  const Job job = submit(*one, workflow, 4);
  const WorkerId worker = enlist(*one);
  const std::vector<Claimed> opened = claim(*one, worker, 2);
  ASSERT_EQ(opened.size(), 2u);
  const Generation seen = one->records().job(job.id)->generation;

  const std::uint64_t mark = one->change_mark();
  ASSERT_TRUE(two->act(PauseJob{job.id}));
  EXPECT_NE(one->change_mark(), mark);

  // The first store has the job in memory, but must not miss the operation of the other.
  Step step = success(workflow, opened[0].task, clock.now());
  step.generation = seen;
  const Committed answer = one->commit(worker, 1, std::vector{step}).value();
  EXPECT_EQ(answer.steps.at(0).outcome, StepOutcome::stale);
  EXPECT_EQ(one->records().job(job.id)->paused, PauseCause::requested);
}

TEST(WorkerLocks, a_killed_worker_is_gone_at_once) {
  const Folder folder;
  const Workflow workflow = two_stages();
  const auto store = must_open({.path = folder / "a.db"});
  (void)submit(*store, workflow, 3);

  Paused child([&] {
    // Never destroyed: a killed process runs no destructor.
    static const auto theirs = must_open({.path = folder / "a.db"});
    return claim(*theirs, enlist(*theirs), 3).size() == 3;
  });
  ASSERT_TRUE(child.came_so_far());
  EXPECT_EQ(store->sweep({})->interrupted, 0) << "it lives, and its lease runs";
  child.kill();

  const Swept swept = store->sweep({}).value();
  EXPECT_EQ(swept.interrupted, 3);
  EXPECT_EQ(claim(*store, enlist(*store), 10).size(), 3u);
  EXPECT_EQ(store->renew(WorkerId{1}).error().code, ErrorCode::not_found);
}

TEST(WorkerLocks, a_worker_ends_with_its_store) {
  const Folder folder;
  const auto watcher = must_open({.path = folder / "a.db"});
  (void)submit(*watcher, two_stages(), 2);
  {
    const auto store = must_open({.path = folder / "a.db"});
    ASSERT_EQ(claim(*store, enlist(*store), 1).size(), 1u);
    EXPECT_EQ(watcher->sweep({})->interrupted, 0);
  }
  EXPECT_EQ(watcher->sweep({})->interrupted, 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "a.db.workers")) << "its lock file is gone too";
}

TEST(WorkerLocks, a_lease_that_runs_out_ends_a_worker_that_still_lives) {
  const Folder folder;
  ManualClock clock;
  const auto store = must_open({.path = folder / "a.db"}, clock);
  (void)submit(*store, two_stages(), 1);
  const WorkerId worker = enlist(*store);
  ASSERT_EQ(claim(*store, worker, 1).size(), 1u);
  clock.advance(std::chrono::minutes(2));
  EXPECT_EQ(store->sweep({.self = worker})->interrupted, 0) << "never itself";
  EXPECT_EQ(store->sweep({})->interrupted, 1);
  EXPECT_EQ(store->renew(worker).error().code, ErrorCode::not_found);
  EXPECT_EQ(store->claim({.worker = worker}).error().code, ErrorCode::not_found)
      << "what it opened now would never be swept";
}

TEST(Sweep, writes_nothing_when_nothing_is_due) {
  const Folder folder;
  const auto store = must_open({.path = folder / "a.db"});
  (void)submit(*store, two_stages(), 2);
  const WorkerId worker = enlist(*store);
  const std::uint64_t mark = store->change_mark();
  ASSERT_TRUE(store->sweep({.self = worker}));
  EXPECT_EQ(store->change_mark(), mark);
}

}  // namespace
}  // namespace pawl::sqlite
