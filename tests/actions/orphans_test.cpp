#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/folder.hpp"
#include "actions/mark_file.hpp"
#include "actions/marks.hpp"
#include "actions/process.hpp"
#include "actions/process_table.hpp"
#include "pawl/actions/actions.hpp"

namespace pawl {
namespace {

using actions_test::eventually;
using actions_test::Folder;
using actions_test::text_in;
using namespace std::chrono_literals;

bool is_living(pid_t pid) {
  const auto entry = process_entry(pid);
  return entry && entry->is_living();
}

pid_t number_in(const std::filesystem::path& file) {
  return static_cast<pid_t>(std::stoi(text_in(file)));
}

std::vector<std::filesystem::path> entries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    found.push_back(entry.path());
  }
  return found;
}

bool has_line(const std::filesystem::path& file) { return text_in(file).ends_with('\n'); }

/// A worker that runs one command under a mark and is killed in the middle of it. Its children
/// write their numbers to the folder first: one that stays in the group, one that leaves it.
struct DeadWorker {
  static constexpr const char* usual =
      "sleep 1000 & echo $! > near; setsid sh -c 'echo $$ > far; exec sleep 1000' & "
      "echo $$ > leader; wait";

  DeadWorker(const Folder& folder, const std::string& mark, const std::string& script = usual,
             bool notes_group = true) {
    const pid_t worker = ::fork();
    if (worker == 0) {
      RunDirectory run(folder / "run");
      Result<Mark> made = run.mark(mark);
      if (!made) ::_exit(1);
      ProcessSpec spec;
      spec.argv = {"/bin/sh", "-c", script};
      spec.env = {"PATH=/usr/bin:/bin", "PAWL_RUN=" + made->token()};
      spec.cwd = folder.path();
      spec.started = [&](pid_t started) {
        if (notes_group) made->add_leader(started);
        std::ofstream(folder / "started") << started << '\n';
      };
      (void)run_process(spec);
      ::_exit(0);
    }
    EXPECT_TRUE(eventually([&] {
      return has_line(folder / "near") && has_line(folder / "far") && has_line(folder / "leader") &&
             has_line(folder / "started");
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
  ASSERT_FALSE(std::filesystem::is_empty(folder / "run"));
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
  RunDirectory run(folder / "run");
  Result<Mark> mark = run.mark("65536-1");
  ASSERT_TRUE(mark);
  const std::vector<std::filesystem::path> before = entries(folder / "run");
  EXPECT_EQ(end_orphans(folder / "run", 1s), 0);
  EXPECT_EQ(entries(folder / "run"), before);
  EXPECT_TRUE(std::filesystem::is_directory(mark->scratch().dir()));
}

TEST(Orphans, of_an_earlier_attempt_of_this_process_are_ended_and_their_owner_clears_up) {
  const Folder folder;
  RunDirectory run(folder / "run");
  Result<Mark> mark = run.mark("65536-1");
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
  EXPECT_TRUE(std::filesystem::is_directory(mark->scratch().dir()));
}

TEST(Orphans, that_ignore_sigterm_are_killed_after_the_grace) {
  const Folder folder;
  const pid_t worker = ::fork();
  if (worker == 0) {
    RunDirectory run(folder / "run");
    Result<Mark> made = run.mark("65536-1");
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

// A process that has cleared its environment is known by its group, as long as the leader is there.
TEST(Orphans, without_an_environment_are_known_by_their_group) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-1",
                        "env -i sleep 1000 & echo $! > near; echo $$ > far; echo $$ > leader; "
                        "exec /usr/bin/env -i sleep 1000");
  ASSERT_TRUE(eventually([&] {
    return !has_variable(dead.near, "PAWL_RUN=", true) &&
           !has_variable(dead.leader, "PAWL_RUN=", true);
  }));
  EXPECT_EQ(end_orphans(folder / "run", 5s), 2);
  EXPECT_FALSE(is_living(dead.near));
  EXPECT_FALSE(is_living(dead.leader));
}

TEST(Orphans, of_several_attempts_of_one_dead_worker_are_told_apart) {
  const Folder folder;
  const pid_t worker = ::fork();
  if (worker == 0) {
    RunDirectory run(folder / "run");
    std::vector<std::jthread> threads;
    for (const std::string name : {"65536-1", "65537-1", "65538-3"}) {
      threads.emplace_back([&run, &folder, name] {
        Result<Mark> made = run.mark(name);
        ProcessSpec spec;
        spec.argv = {"/bin/sh", "-c", "echo $$ > " + name + "; sleep 1000; :"};
        spec.env = {"PATH=/usr/bin:/bin", "PAWL_RUN=" + made->token()};
        spec.cwd = folder.path();
        spec.started = [&](pid_t started) { made->add_leader(started); };
        (void)run_process(spec);
      });
    }
    threads.clear();
    ::_exit(0);
  }
  EXPECT_TRUE(eventually([&] {
    return has_line(folder / "65536-1") && has_line(folder / "65537-1") &&
           has_line(folder / "65538-3");
  }));
  ::kill(worker, SIGKILL);
  ::waitpid(worker, nullptr, 0);
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'537}, 2, 5s), 2);
  EXPECT_FALSE(is_living(number_in(folder / "65537-1")));
  EXPECT_TRUE(is_living(number_in(folder / "65536-1")));
  EXPECT_TRUE(is_living(number_in(folder / "65538-3")));
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'537}, 2, 5s), 0);
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'538}, 4, 5s), 2);
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'536}, 2, 5s), 2);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run")) << "the last one forgets the worker";
}

// Killed between the start of its process and writing down the group.
TEST(Orphans, whose_group_was_not_yet_noted_are_found_by_the_token) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-1", DeadWorker::usual, false);
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'536}, 2, 5s), 3);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run"));
}

TEST(Orphans, of_an_ended_attempt_are_not_looked_for) {
  const Folder folder;
  RunDirectory run(folder / "run");
  std::string token;
  {
    const Result<Mark> mark = run.mark("65536-1");
    ASSERT_TRUE(mark);
    token = mark->token();
  }
  ProcessSpec spec;
  spec.argv = {"/bin/sh", "-c", "echo $$ > service; sleep 1000"};
  spec.env = {"PATH=/usr/bin:/bin", "PAWL_RUN=" + token};
  spec.cwd = folder.path();
  std::stop_source stop;
  spec.stop = stop.get_token();
  const std::jthread service([&] { (void)run_process(spec); });
  EXPECT_TRUE(eventually([&] { return has_line(folder / "service"); }));
  EXPECT_EQ(end_earlier_attempts(folder / "run", TaskId{65'536}, 2, 5s), 0);
  stop.request_stop();
}

TEST(Mark, is_removed_with_its_worker_and_its_scratch_directory_whatever_lies_in_it) {
  const Folder folder;
  {
    RunDirectory run(folder / "run");
    Result<Mark> mark = run.mark("65536-1");
    ASSERT_TRUE(mark);
    const std::filesystem::path scratch = mark->scratch().path;
    const auto closed = scratch / "closed";
    std::filesystem::create_directories(closed / "deep");
    std::ofstream(closed / "deep/file") << "x";
    std::filesystem::create_symlink("/etc", scratch / "link");
    std::filesystem::permissions(closed / "deep", std::filesystem::perms::none);
    std::filesystem::permissions(closed, std::filesystem::perms::owner_read);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run"));
  EXPECT_TRUE(std::filesystem::exists("/etc/passwd"));
}

TEST(Mark, of_the_same_name_gets_a_place_of_its_own) {
  const Folder folder;
  RunDirectory run(folder / "run");
  const Result<Mark> first = run.mark("65536-1");
  const Result<Mark> second = run.mark("65536-1");
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->scratch().path, second->scratch().path);
  EXPECT_NE(first->token(), second->token());
}

TEST(Mark, has_room_for_any_number_of_attempts_at_once) {
  const Folder folder;
  RunDirectory run(folder / "run");
  std::vector<Mark> marks;
  for (int i = 1; i <= 200; ++i) {
    Result<Mark> mark = run.mark(std::to_string(i) + "-1");
    ASSERT_TRUE(mark);
    marks.push_back(std::move(*mark));
  }
  const auto all = entries(folder / "run");
  const auto file = std::ranges::find(all, ".mark", &std::filesystem::path::extension);
  ASSERT_NE(file, all.end());
  const auto used = [&] {
    return std::ranges::count_if(read_mark(*file).lines,
                                 [](const MarkLine& line) { return line.number != 0; });
  };
  EXPECT_EQ(used(), 200);
  EXPECT_TRUE(std::ranges::any_of(read_mark(*file).lines, [](const MarkLine& line) {
    return is_earlier(line, TaskId{200}, 2);
  }));
  marks.clear();
  EXPECT_EQ(used(), 0);
}

TEST(Mark, never_has_a_token_again) {
  const Folder folder;
  RunDirectory run(folder / "run");
  std::set<std::string> tokens;
  for (int i = 0; i < 10; ++i) {
    const Result<Mark> mark = run.mark("65536-" + std::to_string(i));
    ASSERT_TRUE(mark);
    EXPECT_TRUE(tokens.insert(mark->token()).second);
  }
}

TEST(Mark, in_a_place_that_cannot_be_written_is_an_error) {
  const Folder folder;
  folder.write("run", "a file");
  RunDirectory run(folder / "run");
  const Result<Mark> mark = run.mark("65536-1");
  ASSERT_FALSE(mark);
  EXPECT_EQ(mark.error().code, ErrorCode::unavailable);
}

TEST(Mark, is_made_anew_when_somebody_has_removed_the_run_directory) {
  const Folder folder;
  RunDirectory run(folder / "run");
  ASSERT_TRUE(run.mark("65536-1"));
  std::filesystem::remove_all(folder / "run");
  const Result<Mark> mark = run.mark("65536-2");
  ASSERT_TRUE(mark);
  EXPECT_TRUE(std::filesystem::is_directory(mark->scratch().dir()));
  EXPECT_EQ(end_orphans(folder / "run", 1s), 0) << "its mark is there, and locked";
}

}  // namespace
}  // namespace pawl
