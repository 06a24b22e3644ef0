#include <csignal>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/folder.hpp"
#include "actions/marks.hpp"
#include "actions/process.hpp"
#include "actions/process_table.hpp"
#include "pawl/actions/actions.hpp"

namespace pawl {
namespace {

using actions_test::eventually;
using actions_test::Folder;
using actions_test::text_in;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

bool is_living(pid_t pid) {
  const auto entry = process_entry(pid);
  return entry && entry->is_living();
}

pid_t number_in(const std::filesystem::path& file) {
  return static_cast<pid_t>(std::stoi(text_in(file)));
}

bool has_line(const std::filesystem::path& file) { return text_in(file).ends_with('\n'); }

/// A worker that runs one command under a mark and is killed in the middle of it. Its children
/// write their numbers to the folder first: one that stays in the group, one that leaves it.
struct DeadWorker {
  DeadWorker(const Folder& folder, const std::string& mark) {
    const pid_t worker = ::fork();
    if (worker == 0) {
      Result<Mark> made = Mark::make(folder / "run", mark);
      if (!made) ::_exit(1);
      ProcessSpec spec;
      spec.argv = {"/bin/sh", "-c",
                   "sleep 1000 & echo $! > near; setsid sh -c 'echo $$ > far; exec sleep 1000' & "
                   "echo $$ > leader; wait"};
      spec.env = {"PATH=/usr/bin:/bin", "PAWL_RUN=" + made->token()};
      spec.cwd = folder.path();
      spec.started = [&](pid_t started) { made->add_leader(started); };
      (void)run_process(spec);
      ::_exit(0);
    }
    EXPECT_TRUE(eventually([&] {
      return has_line(folder / "near") && has_line(folder / "far") && has_line(folder / "leader");
    }));
    near = number_in(folder / "near");
    far = number_in(folder / "far");
    leader = number_in(folder / "leader");
    ::kill(worker, SIGKILL);
    ::waitpid(worker, nullptr, 0);
  }
  /// Whatever happens to the test, they do not stay.
  ~DeadWorker() {
    for (const pid_t pid : {near, far, leader}) {
      if (is_living(pid)) ::kill(pid, SIGKILL);
    }
  }
  DeadWorker(const DeadWorker&) = delete;
  DeadWorker& operator=(const DeadWorker&) = delete;

  pid_t near = 0;
  pid_t far = 0;
  pid_t leader = 0;
};

TEST(Orphans, of_a_dead_worker_are_ended_with_their_scratch_directory) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-1");
  ASSERT_TRUE(is_living(dead.near));
  ASSERT_TRUE(is_living(dead.far));
  ASSERT_TRUE(std::filesystem::exists(folder / "run/65536-1.mark"));
  EXPECT_EQ(end_orphans(folder / "run", 5s), 3);
  EXPECT_FALSE(is_living(dead.near));
  EXPECT_FALSE(is_living(dead.far));
  EXPECT_FALSE(is_living(dead.leader));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run"));
  EXPECT_EQ(end_orphans(folder / "run", 5s), 0);
}

// Trap 28: what an interrupted attempt left never runs beside the next one.
TEST(Orphans, are_ended_before_the_next_attempt_of_their_task) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-1");
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'537}, 2, 5s), 0) << "another task's";
  EXPECT_TRUE(is_living(dead.far));
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'536}, 2, 5s), 3);
  EXPECT_FALSE(is_living(dead.near));
  EXPECT_FALSE(is_living(dead.far));
}

TEST(Orphans, of_a_gate_of_an_earlier_attempt_are_ended_too) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-4-gate-grounded");
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'536}, 4, 5s), 0) << "not earlier";
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'536}, 5, 5s), 3);
}

TEST(Orphans, of_a_living_worker_are_left_alone) {
  const Folder folder;
  Result<Mark> mark = Mark::make(folder / "run", "65536-1");
  ASSERT_TRUE(mark);
  EXPECT_EQ(end_orphans(folder / "run", 1s), 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "run/65536-1.mark"));
  EXPECT_TRUE(std::filesystem::is_directory(mark->scratch()));
}

TEST(Orphans, of_an_earlier_attempt_of_this_process_are_ended_and_their_owner_clears_up) {
  const Folder folder;
  Result<Mark> mark = Mark::make(folder / "run", "65536-1");
  ASSERT_TRUE(mark);
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", "echo $$ > leader; sleep 1000"};
  spec.env = {"PATH=/usr/bin:/bin", "PAWL_RUN=" + mark->token()};
  spec.cwd = folder.path();
  spec.started = [&](pid_t leader) { mark->add_leader(leader); };
  ProcessEnd end;
  std::thread fenced([&] { end = run_process(spec); });
  EXPECT_TRUE(eventually([&] { return has_line(folder / "leader"); }));
  EXPECT_GE(end_earlier_attempts(folder / "run", TaskId{65'536}, 2, 5s), 1);
  fenced.join();
  EXPECT_EQ(end.how, ProcessEnd::How::signalled);
  EXPECT_FALSE(end.stopped);
  EXPECT_TRUE(std::filesystem::is_directory(mark->scratch()));
}

TEST(Orphans, that_ignore_sigterm_are_killed_after_the_grace) {
  const Folder folder;
  const pid_t worker = ::fork();
  if (worker == 0) {
    Result<Mark> made = Mark::make(folder / "run", "65536-1");
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", "trap '' TERM; echo $$ > leader; while :; do sleep 1000; done"};
    spec.env = {"PATH=/usr/bin:/bin", "PAWL_RUN=" + made->token()};
    spec.cwd = folder.path();
    (void)run_process(spec);
    ::_exit(0);
  }
  ASSERT_TRUE(eventually([&] { return has_line(folder / "leader"); }));
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  EXPECT_GE(end_orphans(folder / "run", 100ms), 1);
  EXPECT_FALSE(is_living(number_in(folder / "leader")));
}

TEST(Mark, is_removed_with_its_scratch_directory_whatever_lies_in_it) {
  const Folder folder;
  {
    Result<Mark> mark = Mark::make(folder / "run", "65536-1");
    ASSERT_TRUE(mark);
    EXPECT_THAT(text_in(folder / "run/65536-1.mark"), HasSubstr(mark->token()));
    const auto closed = mark->scratch() / "closed";
    std::filesystem::create_directories(closed / "deep");
    std::ofstream(closed / "deep/file") << "x";
    std::filesystem::create_symlink("/etc", mark->scratch() / "link");
    std::filesystem::permissions(closed / "deep", std::filesystem::perms::none);
    std::filesystem::permissions(closed, std::filesystem::perms::owner_read);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run"));
  EXPECT_TRUE(std::filesystem::exists("/etc/passwd"));
}

TEST(Mark, of_the_same_name_gets_a_place_of_its_own) {
  const Folder folder;
  const Result<Mark> first = Mark::make(folder / "run", "65536-1");
  const Result<Mark> second = Mark::make(folder / "run", "65536-1");
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->scratch(), second->scratch());
  EXPECT_NE(first->token(), second->token());
}

TEST(Mark, in_a_place_that_cannot_be_written_is_an_error) {
  const Folder folder;
  folder.write("run", "a file");
  const Result<Mark> mark = Mark::make(folder / "run", "65536-1");
  ASSERT_FALSE(mark);
  EXPECT_EQ(mark.error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace pawl
