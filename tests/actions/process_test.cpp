#include "actions/process.hpp"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/folder.hpp"
#include "actions/process_table.hpp"

namespace pawl::actions {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

ProcessSpec command(std::vector<std::string> argv) {
  ProcessSpec spec;
  spec.argv = std::move(argv);
  spec.env = {"PATH=/usr/local/bin:/usr/bin:/bin"};
  return spec;
}
ProcessSpec shell(const std::string& script) { return command({"/bin/sh", "-c", script}); }

std::size_t open_descriptors() {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += entry.path().empty() ? 0 : 1;
  }
  return count;
}

/// The number that the process wrote to a file; waits for it.
pid_t number_in(const std::filesystem::path& file) {
  EXPECT_TRUE(eventually([&] { return text_in(file).ends_with('\n'); }));
  return static_cast<pid_t>(std::stoi(text_in(file)));
}

bool is_gone(pid_t pid) {
  const auto entry = process_entry(pid);
  return !entry || !entry->is_living();
}

TEST(Process, reads_its_input_and_writes_its_output) {
  ProcessSpec spec = command({"cat"});
  spec.input = R"({"hello":"world"})";
  const ProcessEnd end = run_process(spec);
  EXPECT_EQ(end.how, ProcessEnd::How::exited);
  EXPECT_EQ(end.number, 0);
  EXPECT_EQ(end.out, spec.input);
  EXPECT_EQ(end.out_bytes, 17);
}

TEST(Process, tells_its_exit_code_and_its_signal) {
  EXPECT_EQ(run_process(shell("exit 3")).number, 3);
  const ProcessEnd end = run_process(shell("kill -KILL $$"));
  EXPECT_EQ(end.how, ProcessEnd::How::signalled);
  EXPECT_EQ(end.number, SIGKILL);
  EXPECT_EQ(signal_name(end.number), "SIGKILL");
}

TEST(Process, copies_eight_mebibytes_both_ways_without_deadlock) {
  ProcessSpec spec = shell("tee /dev/stderr");
  spec.input.assign(std::size_t{8} << 20U, 'x');
  spec.log_bytes_max = std::size_t{16} << 20U;
  const ProcessEnd end = run_process(spec);
  EXPECT_EQ(end.out.size(), spec.input.size());
  EXPECT_EQ(end.err.size(), spec.input.size());
}

TEST(Process, has_an_input_that_can_be_read_again_and_not_written) {
  ProcessSpec spec = shell("cat; cat /dev/stdin; cat /dev/stdin; echo more >&0 || echo refused");
  spec.input = "all ";
  EXPECT_EQ(run_process(spec).out, "all all all refused\n");
}

TEST(Process, may_ignore_its_input) {
  ProcessSpec spec = command({"true"});
  spec.input.assign(std::size_t{8} << 20U, 'x');
  EXPECT_EQ(run_process(spec).number, 0);
  EXPECT_EQ(run_process(shell("exec 0<&-; exit 7")).number, 7);
}

TEST(Process, is_drained_however_much_it_writes) {
  ProcessSpec spec = shell("head -c 50000000 /dev/zero");
  spec.log_bytes_max = 1'000'000;
  const ProcessEnd end = run_process(spec);
  EXPECT_EQ(end.number, 0);
  EXPECT_EQ(end.out_bytes, 50'000'000);
  EXPECT_LT(end.out.size(), 1'001'000U);
  EXPECT_THAT(end.out, HasSubstr("\n… 49,000,000 bytes left out …\n"));
}

TEST(Process, is_captured_up_to_its_bound_and_says_when_that_was_all) {
  ProcessSpec spec = shell("printf 12345");
  spec.capture_bytes_max = 5;
  EXPECT_TRUE(run_process(spec).captured_all);
  spec.capture_bytes_max = 4;
  const ProcessEnd end = run_process(spec);
  EXPECT_FALSE(end.captured_all);
  EXPECT_EQ(end.captured, "1234");
}

TEST(ProcessGroup, is_ended_with_its_grandchildren_when_it_is_asked_to_stop) {
  const Folder folder;
  ProcessSpec spec = shell("sleep 1000 & echo $! > inner; echo $$ > outer; wait");
  spec.cwd = folder.path();
  spec.grace = 5s;
  std::stop_source stop;
  spec.stop = stop.get_token();
  ProcessEnd end;
  std::thread running([&] { end = run_process(spec); });
  const pid_t outer = number_in(folder / "outer");
  const pid_t inner = number_in(folder / "inner");
  stop.request_stop();
  running.join();
  EXPECT_TRUE(end.stopped);
  EXPECT_TRUE(is_gone(outer));
  EXPECT_TRUE(is_gone(inner));
  EXPECT_LT(end.took, 4s);
}

TEST(ProcessGroup, is_killed_after_its_grace_when_it_is_deaf_to_sigterm) {
  const Folder folder;
  ProcessSpec spec = shell("trap '' TERM; echo $$ > deaf; while :; do sleep 1000; done");
  spec.cwd = folder.path();
  spec.grace = 200ms;
  std::stop_source stop;
  spec.stop = stop.get_token();
  ProcessEnd end;
  std::thread running([&] { end = run_process(spec); });
  const pid_t deaf = number_in(folder / "deaf");
  stop.request_stop();
  running.join();
  EXPECT_TRUE(end.stopped);
  EXPECT_EQ(end.how, ProcessEnd::How::signalled);
  EXPECT_EQ(end.number, SIGKILL);
  EXPECT_GE(end.took, 200ms);
  EXPECT_TRUE(is_gone(deaf));
}

TEST(ProcessGroup, has_its_grace_also_when_the_leader_ends_at_once) {
  const Folder folder;
  // The shell dies from the signal; its child needs a moment to clean up.
  ProcessSpec spec = shell(
      "sh -c 'trap \"echo tidy > tidied; exit\" TERM; echo $$ > child; while :; do sleep 0.05; "
      "done' >/dev/null 2>&1 & wait");
  spec.cwd = folder.path();
  spec.grace = 5s;
  std::stop_source stop;
  spec.stop = stop.get_token();
  std::thread running([&] { (void)run_process(spec); });
  const pid_t child = number_in(folder / "child");
  stop.request_stop();
  running.join();
  EXPECT_EQ(text_in(folder / "tidied"), "tidy\n");
  EXPECT_TRUE(is_gone(child));
}

TEST(ProcessGroup, does_not_outlive_its_leader) {
  const Folder folder;
  ProcessSpec spec = shell("sleep 1000 & echo $! > left; echo done");
  spec.cwd = folder.path();
  const ProcessEnd end = run_process(spec);
  EXPECT_EQ(end.number, 0);
  EXPECT_EQ(end.out, "done\n");
  EXPECT_LT(end.took, 5s);
  EXPECT_TRUE(is_gone(number_in(folder / "left")));
}

TEST(Process, is_told_to_stop_before_it_has_begun) {
  ProcessSpec spec = shell("sleep 1000");
  std::stop_source stop;
  stop.request_stop();
  spec.stop = stop.get_token();
  EXPECT_TRUE(run_process(spec).stopped);
}

TEST(Process, hears_that_it_shall_stop_from_its_first_moment_on) {
  // The receiver of the process number may stop it at once, even before the program is executed,
  // or while the shell starts its command.
  for (int i = 0; i < 200; ++i) {
    ProcessSpec spec = shell("sleep 1000");
    spec.grace = 5s;
    std::stop_source stop;
    spec.stop = stop.get_token();
    spec.started = [&](pid_t) { stop.request_stop(); };
    const ProcessEnd end = run_process(spec);
    EXPECT_TRUE(end.stopped);
    ASSERT_LT(end.took, spec.grace) << "it was not heard";
  }
}

TEST(Process, does_not_outlive_a_call_that_ends_by_an_exception) {
  ProcessSpec spec = shell("sleep 1000");
  pid_t leader = 0;
  for (int i = 0; i < 50; ++i) {
    spec.started = [&](pid_t pid) {
      leader = pid;
      throw std::runtime_error("no memory");
    };
    EXPECT_THROW((void)run_process(spec), std::runtime_error);
    EXPECT_TRUE(is_gone(leader));
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Process, whose_end_somebody_else_has_taken_is_said_to_be_unknown) {
  std::signal(SIGCHLD, SIG_IGN);
  const ProcessEnd end = run_process(command({"true"}));
  std::signal(SIGCHLD, SIG_DFL);
  EXPECT_EQ(end.fault, StartFault::other);
  EXPECT_THAT(end.fault_text, HasSubstr("SIGCHLD"));
}

TEST(Process, leaves_no_descriptor_and_no_zombie) {
  (void)run_process(command({"true"}));
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 20; ++i) {
    (void)run_process(shell("echo out; echo err >&2; sleep 0 &"));
    (void)run_process(command({"/no/such/program"}));
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(Process, inherits_no_descriptor_and_no_signal_setting) {
  std::signal(SIGUSR1, SIG_IGN);
  const int open_file = ::dup(STDERR_FILENO);  // without close-on-exec
  const ProcessEnd listed =
      run_process(shell("ls /proc/self/fd | tr '\\n' ' '; grep ^SigBlk /proc/self/status"));
  const ProcessEnd signalled = run_process(shell("kill -USR1 $$; echo survived"));
  ::close(open_file);
  std::signal(SIGUSR1, SIG_DFL);
  // ls itself opens the directory as 3.
  EXPECT_EQ(listed.out, "0 1 2 3 SigBlk:\t0000000000000000\n");
  EXPECT_EQ(signalled.number, SIGUSR1) << "not ignored, though we do";
}

TEST(Process, has_exactly_the_given_environment) {
  ProcessSpec spec = command({"env"});
  spec.env = {"PATH=/usr/bin:/bin", "ONLY=this"};
  EXPECT_EQ(run_process(spec).out, "PATH=/usr/bin:/bin\nONLY=this\n");
}

TEST(Process, is_looked_up_in_its_own_path) {
  const Folder folder;
  folder.script("bin/frobnicate", "#!/bin/sh\necho found\n");
  ProcessSpec spec = command({"frobnicate"});
  spec.env = {"PATH=/usr/bin:" + (folder / "bin").string()};
  EXPECT_EQ(run_process(spec).out, "found\n");
  spec.env = {"PATH=/usr/bin"};
  const ProcessEnd end = run_process(spec);
  EXPECT_EQ(end.how, ProcessEnd::How::not_started);
  EXPECT_EQ(end.fault, StartFault::command_not_found);
  EXPECT_EQ(end.fault_text, "command not found: frobnicate (looked in /usr/bin)");
}

TEST(Process, is_found_from_its_working_directory) {
  const Folder folder;
  folder.script("stages/here", "#!/bin/sh\npwd\n");
  ProcessSpec spec = command({"stages/here"});
  spec.cwd = folder.path();
  EXPECT_EQ(run_process(spec).out, folder.path().string() + "\n");
}

TEST(ProcessStart, tells_why_it_could_not) {
  const Folder folder;
  folder.write("plain", "no program");
  folder.script("lost", "#!/no/such/interpreter\n");
  ProcessSpec spec = command({"./plain"});
  spec.cwd = folder.path();
  EXPECT_EQ(run_process(spec).fault, StartFault::not_executable);
  spec.argv = {"./"};
  EXPECT_EQ(run_process(spec).fault, StartFault::not_executable);
  spec.argv = {"./lost"};
  ProcessEnd end = run_process(spec);
  EXPECT_EQ(end.fault, StartFault::command_not_found);
  EXPECT_THAT(end.fault_text, HasSubstr("interpreter"));
  spec.argv = {"./absent"};
  EXPECT_EQ(run_process(spec).fault, StartFault::command_not_found);
  spec.argv = {"true"};
  spec.cwd = folder / "nowhere";
  end = run_process(spec);
  EXPECT_EQ(end.fault, StartFault::no_directory);
  EXPECT_THAT(end.fault_text, HasSubstr("nowhere"));
  spec.cwd = folder.path();
  spec.argv = {"true", std::string(std::size_t{4} << 20U, 'x')};
  EXPECT_EQ(run_process(spec).fault, StartFault::too_long);
}

TEST(ProcessStart, that_fails_on_many_threads_tells_each_its_own_reason) {
  const Folder folder;
  folder.write("plain", "no program");
  std::atomic<int> wrong = 0;
  const auto start_often = [&](const std::string& program, StartFault expected) {
    ProcessSpec spec = command({program});
    spec.cwd = folder.path();
    for (int i = 0; i < 100; ++i) {
      const ProcessEnd end = run_process(spec);
      if (end.how != ProcessEnd::How::not_started || end.fault != expected) ++wrong;
    }
  };
  {
    const std::jthread absent([&] { start_often("./absent", StartFault::command_not_found); });
    const std::jthread plain([&] { start_often("./plain", StartFault::not_executable); });
    for (int i = 0; i < 100; ++i) {
      if (run_process(command({"true"})).how != ProcessEnd::How::exited) ++wrong;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST(Process, shows_its_logs_as_they_come_with_secrets_masked) {
  const Folder folder;
  ProcessSpec spec = shell("printf 'a hun'; sleep 0; printf 'ter2 b\\n'; echo hunter2 >&2");
  spec.out_file = folder / "stdout";
  spec.err_file = folder / "stderr";
  spec.secrets = {"hunter2"};
  spec.capture_bytes_max = 100;
  const ProcessEnd end = run_process(spec);
  EXPECT_EQ(end.out, "a *** b\n");
  EXPECT_EQ(text_in(folder / "stdout"), "a *** b\n");
  EXPECT_EQ(text_in(folder / "stderr"), "***\n");
  EXPECT_EQ(end.captured, "a hunter2 b\n");
}

TEST(Process, runs_on_many_threads_at_once) {
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&right, i] {
      for (int turn = 0; turn < 10; ++turn) {
        ProcessSpec spec = shell("cat; exit " + std::to_string(i));
        spec.input = std::to_string(i);
        const ProcessEnd end = run_process(spec);
        if (end.number == i && end.out == spec.input) ++right;
      }
    });
  }
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(right, 80);
}

}  // namespace
}  // namespace pawl::actions
