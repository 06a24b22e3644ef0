#include <algorithm>
#include <csignal>
#include <filesystem>
#include <future>
#include <set>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/folder.hpp"
#include "actions/mark_file.hpp"
#include "actions/marks.hpp"
#include "actions/process.hpp"
#include "actions/process_table.hpp"
#include "pawl/actions/actions.hpp"

namespace pawl::actions {
namespace {

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

/// How many processes were ended. Expects no warnings.
int ended_in(const Folder& folder, Duration grace = 5s) {
  const Result<Orphans> orphans = end_orphans(folder / "run", grace);
  EXPECT_TRUE(orphans) << orphans.error().text();
  if (!orphans) return -1;
  EXPECT_THAT(orphans->left_alone, testing::IsEmpty());
  return orphans->ended;
}
int earlier_ended(const Folder& folder, TaskId task, AttemptNumber current) {
  const Result<int> ended = end_earlier_attempts(folder / "run", task, current, 5s);
  EXPECT_TRUE(ended) << ended.error().text();
  return ended.value_or(-1);
}

bool has_line(const std::filesystem::path& file) { return text_in(file).ends_with('\n'); }

/// A worker that runs one command under a mark and is killed while it runs. Before that, its
/// children write their process numbers to the folder: one that stays in the group, one that leaves
/// it.
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
  /// The processes do not outlive the test, whatever happens to it.
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
  EXPECT_EQ(ended_in(folder), 3);
  EXPECT_FALSE(is_living(dead.near));
  EXPECT_FALSE(is_living(dead.far));
  EXPECT_FALSE(is_living(dead.leader));
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run"));
  EXPECT_EQ(ended_in(folder), 0);
}

// A surviving worker takes over several tasks at once. All but the first used to run beside the
// leftovers.
TEST(Orphans, are_ended_also_while_another_attempt_clears_up_behind_the_same_worker) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-1");
  std::filesystem::path mark;
  for (const std::filesystem::path& entry : entries(folder / "run")) {
    if (entry.extension() == ".mark") mark = entry;
  }
  const int other = ::open(mark.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  auto ended =
      std::async(std::launch::async, [&] { return earlier_ended(folder, TaskId{65'536}, 2); });
  EXPECT_EQ(ended.wait_for(100ms), std::future_status::timeout) << "it waits for its turn";
  ::close(other);
  EXPECT_EQ(ended.get(), 3);
  EXPECT_FALSE(is_living(dead.near));
}

// What an interrupted attempt left never runs beside the next one.
TEST(Orphans, are_ended_before_the_next_attempt_of_their_task) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-1");
  EXPECT_EQ(earlier_ended(folder, TaskId{65'537}, 2), 0) << "another task's";
  EXPECT_TRUE(is_living(dead.far));
  EXPECT_EQ(earlier_ended(folder, TaskId{65'536}, 2), 3);
  EXPECT_FALSE(is_living(dead.near));
  EXPECT_FALSE(is_living(dead.far));
}

TEST(Orphans, of_a_gate_of_an_earlier_attempt_are_ended_too) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-4-gate-grounded");
  EXPECT_EQ(earlier_ended(folder, TaskId{65'536}, 4), 0) << "not earlier";
  EXPECT_EQ(earlier_ended(folder, TaskId{65'536}, 5), 3);
}

TEST(Orphans, of_a_living_worker_are_left_alone) {
  const Folder folder;
  RunDirectory run(folder / "run");
  Result<Mark> mark = run.mark("65536-1");
  ASSERT_TRUE(mark);
  const std::vector<std::filesystem::path> before = entries(folder / "run");
  EXPECT_EQ(ended_in(folder, 1s), 0);
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
  EXPECT_GE(earlier_ended(folder, TaskId{65'536}, 2), 1);
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
  EXPECT_GE(ended_in(folder, 100ms), 1);
  EXPECT_FALSE(is_living(number_in(folder / "leader")));
}

// A process that has cleared its environment is recognised by its group, as long as the leader
// exists and a process in the group has the token.
TEST(Orphans, without_an_environment_are_known_by_their_group) {
  const Folder folder;
  const DeadWorker dead(
      folder, "65536-1",
      "env -i sleep 1000 & echo $! > near; echo $$ > far; echo $$ > leader; wait");
  ASSERT_TRUE(eventually([&] { return !has_variable(dead.near, "PAWL_RUN=", true); }));
  EXPECT_EQ(ended_in(folder), 2);
  EXPECT_FALSE(is_living(dead.near));
  EXPECT_FALSE(is_living(dead.leader));
}

TEST(Orphans, without_an_environment_are_killed_although_what_proved_them_has_ended_before) {
  const Folder folder;
  const DeadWorker dead(
      folder, "65536-1",
      "env -i sh -c 'trap \"\" TERM; echo $$ > near; while :; do sleep 1; done' & "
      "echo $$ > far; echo $$ > leader; wait");
  ASSERT_TRUE(eventually([&] { return !has_variable(dead.near, "PAWL_RUN=", true); }));
  EXPECT_GE(ended_in(folder, 100ms), 2);
  EXPECT_FALSE(is_living(dead.near));
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
  EXPECT_EQ(earlier_ended(folder, TaskId{65'537}, 2), 2);
  EXPECT_FALSE(is_living(number_in(folder / "65537-1")));
  EXPECT_TRUE(is_living(number_in(folder / "65536-1")));
  EXPECT_TRUE(is_living(number_in(folder / "65538-3")));
  EXPECT_EQ(earlier_ended(folder, TaskId{65'537}, 2), 0);
  EXPECT_EQ(earlier_ended(folder, TaskId{65'538}, 4), 2);
  EXPECT_EQ(earlier_ended(folder, TaskId{65'536}, 2), 2);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "run")) << "the last one forgets the worker";
}

// Killed between the start of its process and the record of the group.
TEST(Orphans, whose_group_was_not_yet_noted_are_found_by_the_token) {
  const Folder folder;
  const DeadWorker dead(folder, "65536-1", DeadWorker::usual, false);
  EXPECT_EQ(earlier_ended(folder, TaskId{65'536}, 2), 3);
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
  EXPECT_EQ(earlier_ended(folder, TaskId{65'536}, 2), 0);
  stop.request_stop();
}

/// An unrelated process in its own group, and an unrelated directory beside the run directory.
struct Bystanders {
  explicit Bystanders(const Folder& folder) : kept(folder.write("kept/file", "x")) {
    process = ::fork();
    if (process == 0) {
      ::setsid();
      ::execl("/bin/sleep", "sleep", "1000", nullptr);
      ::_exit(1);
    }
    EXPECT_TRUE(eventually([&] {
      const auto entry = process_entry(process);
      return entry && entry->group == process;
    }));
    std::filesystem::create_directory(folder / "run");
    std::filesystem::permissions(folder / "run", std::filesystem::perms::owner_all);
  }
  Bystanders(const Bystanders&) = delete;
  Bystanders& operator=(const Bystanders&) = delete;
  ~Bystanders() {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
  }

  /// Creates the mark of a dead worker with our user as owner, whose one line names the process.
  std::filesystem::path plant(const Folder& folder, const std::string& file,
                              const std::string& name,
                              const std::string& token = std::string(32, '0')) const {
    const auto line = [](std::string text) {
      text.resize(255, ' ');
      return text + "\n";
    };
    const std::string number = std::to_string(process);
    std::filesystem::path mark =
        folder.write("run/" + file,
                     line(R"({"token":")" + token + R"(","owner":1,"boot":")" + boot_id() + "\"}") +
                         line("1 " + name + " " + number + " 0 99999999999999 1"));
    std::filesystem::permissions(
        mark, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    return mark;
  }
  void expect_unharmed() const {
    EXPECT_TRUE(is_living(process)) << "an unrelated process was ended";
    EXPECT_TRUE(std::filesystem::exists(kept)) << "an unrelated directory was removed";
  }

  std::filesystem::path kept;
  pid_t process = 0;
};

TEST(PlantedMark, that_names_an_unrelated_group_ends_nothing) {
  const Folder folder;
  const Bystanders others(folder);
  others.plant(folder, "4242-0a1b2c3d.mark", "65536-1");
  EXPECT_EQ(ended_in(folder), 0);
  others.plant(folder, "4242-0a1b2c3d.mark", "65536-1");
  EXPECT_EQ(earlier_ended(folder, TaskId{65'536}, 2), 0);
  others.expect_unharmed();
}

TEST(PlantedMark, with_a_token_that_others_may_begin_with_ends_nothing) {
  const Folder folder;
  const Bystanders others(folder);
  for (const std::string token : {"", "0", "../", "0000000000000000000000000000000g"}) {
    others.plant(folder, "4242-0a1b2c3d.mark", "65536-1", token);
    EXPECT_EQ(ended_in(folder), 0);
  }
  others.expect_unharmed();
}

TEST(PlantedMark, whose_line_leads_elsewhere_removes_nothing) {
  const Folder folder;
  const Bystanders others(folder);
  std::filesystem::create_directories(folder / "run/4242-0a1b2c3d/65536-1");
  const std::vector<std::string> names = {"65536-1/../../../kept", "65536-1/../../kept", "..", ".",
                                          "65536-1/.."};
  for (const std::string& name : names) {
    others.plant(folder, "4242-0a1b2c3d.mark", name);
    EXPECT_EQ(earlier_ended(folder, TaskId{65'536}, 2), 0) << name;
    others.expect_unharmed();
    EXPECT_TRUE(std::filesystem::is_directory(folder / "run")) << name;
  }
}

TEST(PlantedMark, whose_name_leads_elsewhere_is_left_alone_and_told) {
  const Folder folder;
  const Bystanders others(folder);
  for (const std::string name : {"...mark", "..mark", ".mark", "x.mark", "4242-0a1b2c3.mark",
                                 "4242-0A1B2C3D.mark", "-0a1b2c3d.mark", "4242-0a1b2c3d.x.mark"}) {
    const std::filesystem::path mark = others.plant(folder, name, "65536-1");
    const Result<Orphans> orphans = end_orphans(folder / "run", 1s);
    ASSERT_TRUE(orphans) << orphans.error().text();
    EXPECT_THAT(orphans->left_alone, testing::ElementsAre(testing::HasSubstr(mark.string())));
    EXPECT_TRUE(std::filesystem::exists(mark)) << name;
    others.expect_unharmed();
    std::filesystem::remove(mark);
  }
}

TEST(PlantedMark, that_is_a_link_a_pipe_or_open_to_others_is_left_alone_and_told) {
  const Folder folder;
  const Bystanders others(folder);
  const std::filesystem::path mark = folder / "run/4242-0a1b2c3d.mark";
  const auto expect_left_alone = [&](const std::string& what) {
    const Result<Orphans> orphans = end_orphans(folder / "run", 1s);
    ASSERT_TRUE(orphans) << orphans.error().text();
    EXPECT_THAT(orphans->left_alone, testing::ElementsAre(testing::HasSubstr(mark.string())))
        << what;
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::symlink_status(mark))) << what;
    others.expect_unharmed();
    std::filesystem::remove(mark);
  };
  std::filesystem::create_symlink(others.plant(folder, "elsewhere", "65536-1"), mark);
  expect_left_alone("a link");
  ASSERT_EQ(::mkfifo(mark.c_str(), 0600), 0);
  expect_left_alone("a pipe");
  std::filesystem::create_hard_link(folder / "run/elsewhere", mark);
  expect_left_alone("a second name");
  for (const mode_t mode : {0602U, 0620U, 0604U}) {
    others.plant(folder, "4242-0a1b2c3d.mark", "65536-1");
    ASSERT_EQ(::chmod(mark.c_str(), mode), 0);
    expect_left_alone("open to others");
  }
  if (::geteuid() == 0) {
    others.plant(folder, "4242-0a1b2c3d.mark", "65536-1");
    ASSERT_EQ(::chown(mark.c_str(), 65'534, 65'534), 0);
    expect_left_alone("another user's");
  }
}

TEST(RunDirectory, that_others_could_write_to_is_refused_unless_they_are_trusted) {
  const Folder folder;
  const Bystanders others(folder);
  others.plant(folder, "4242-0a1b2c3d.mark", "65536-1");
  const auto expect_refused = [&] {
    const Result<Orphans> orphans = end_orphans(folder / "run", 1s);
    ASSERT_FALSE(orphans);
    EXPECT_EQ(orphans.error().code, ErrorCode::refused);
    EXPECT_THAT(orphans.error().message, testing::HasSubstr((folder / "run").string()));
    EXPECT_THAT(orphans.error().help, testing::HasSubstr("--trust-owner"));
    EXPECT_FALSE(end_earlier_attempts(folder / "run", TaskId{65'536}, 2, 1s));
    EXPECT_FALSE(RunDirectory(folder / "run").mark("65536-1"));
    EXPECT_TRUE(RunDirectory(folder / "run", true).mark("65536-1"));
    others.expect_unharmed();
  };
  ASSERT_EQ(::chmod((folder / "run").c_str(), 0777), 0);
  expect_refused();
  ASSERT_EQ(::chmod((folder / "run").c_str(), 01777), 0);
  expect_refused();
  ASSERT_EQ(::chmod((folder / "run").c_str(), 0700), 0);
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to give a directory away";  // loud: only the last step is left out
  }
  ASSERT_EQ(::chown((folder / "run").c_str(), 65'534, 65'534), 0);
  expect_refused();
}

TEST(RunDirectory, and_what_is_in_it_is_for_its_owner_alone_whatever_the_umask) {
  for (const mode_t mask : {0U, 0577U}) {
    const Folder folder;
    const mode_t before = ::umask(mask);
    RunDirectory run(folder / "deep/run");
    const Result<Mark> mark = run.mark("65536-1");
    ::umask(before);
    ASSERT_TRUE(mark) << mark.error().text();
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
      struct stat found{};
      ASSERT_EQ(::lstat(entry.path().c_str(), &found), 0);
      EXPECT_EQ(found.st_mode & 07777U, entry.is_directory() ? 0700U : 0600U) << entry.path();
    }
  }
}

TEST(Mark, is_removed_with_its_worker_and_its_scratch_directory_whatever_lies_in_it) {
  const Folder folder;
  {
    RunDirectory run(folder / "run");
    Result<Mark> mark = run.mark("65536-1");
    ASSERT_TRUE(mark);
    const std::filesystem::path scratch = mark->scratch().path();
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
  EXPECT_NE(first->scratch().path(), second->scratch().path());
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
  const Result<files::Descriptor> open = open_mark(*file, false);
  ASSERT_TRUE(open) << open.error().text();
  const auto used = [&] {
    return std::ranges::count_if(read_mark(open->get()).lines,
                                 [](const MarkLine& line) { return line.number != 0; });
  };
  EXPECT_EQ(used(), 200);
  EXPECT_TRUE(std::ranges::any_of(read_mark(open->get()).lines, [](const MarkLine& line) {
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
  EXPECT_EQ(ended_in(folder, 1s), 0) << "its mark is there, and locked";
}

}  // namespace
}  // namespace pawl::actions
