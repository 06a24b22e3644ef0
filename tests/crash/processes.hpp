#pragma once

/// Processes that a test starts, kills and waits for, and the folder they work in. They die with
/// the test, whatever happens to it.

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "temporary_folder.hpp"

namespace pawl::crash {

class Process {
 public:
  /// Runs a worker program, which gets `ready` as the number of a descriptor.
  static Process worker(const std::string& store, const std::string& marks = {}) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::close(ends[0]);
      const std::string ready = std::to_string(ends[1]);
      ::execl(PAWL_CRASH_WORKER, PAWL_CRASH_WORKER, store.c_str(), ready.c_str(), marks.c_str(),
              nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    return {pid, ends[0]};
  }
  /// Runs a function in its own process.
  static Process of(const std::function<int()>& body) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::_exit(body());
    }
    return {pid, -1};
  }

  Process(Process&& other) noexcept
      : pid_(std::exchange(other.pid_, 0)), ready_(std::exchange(other.ready_, -1)) {}
  Process& operator=(Process&&) = delete;
  ~Process() {
    if (pid_ != 0) {
      kill();
      (void)wait();
    }
    if (ready_ >= 0) ::close(ready_);
  }

  /// Waits until its engine runs; false if it ended before that.
  [[nodiscard]] bool wait_until_ready() const {
    char byte = 0;
    ssize_t got = 0;
    do {
      got = ::read(ready_, &byte, 1);
    } while (got < 0 && errno == EINTR);
    return got == 1;
  }
  void kill() const { ::kill(pid_, SIGKILL); }
  /// Its exit code, or −1 if a signal ended it.
  [[nodiscard]] int wait() {
    int status = 0;
    while (::waitpid(std::exchange(pid_, 0), &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  Process(pid_t pid, int ready) : pid_(pid), ready_(ready) {}
  pid_t pid_ = 0;
  int ready_ = -1;
};

class Folder : public TemporaryFolder {
 public:
  [[nodiscard]] std::string operator/(const std::string& name) const {
    return (path() / name).string();
  }
};

}  // namespace pawl::crash
