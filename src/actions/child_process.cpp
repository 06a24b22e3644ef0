#include "actions/child_process.hpp"

#include <cerrno>
#include <csignal>

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pawl::actions {

namespace {

class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&it_);
    sigset_t signals;
    ::sigemptyset(&signals);
    ::posix_spawnattr_setsigmask(&it_, &signals);
    ::sigfillset(&signals);
    ::posix_spawnattr_setsigdefault(&it_, &signals);
    ::posix_spawnattr_setpgroup(&it_, 0);
    ::posix_spawnattr_setflags(
        &it_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&it_); }
  [[nodiscard]] const posix_spawnattr_t* get() const { return &it_; }

 private:
  posix_spawnattr_t it_{};
};

/// What the new process does before it executes the program.
class FileActions {
 public:
  explicit FileActions(const StartOrder& order) {
    ::posix_spawn_file_actions_init(&it_);
    note(::posix_spawn_file_actions_adddup2(&it_, order.in, STDIN_FILENO));
    note(::posix_spawn_file_actions_adddup2(&it_, order.out, STDOUT_FILENO));
    note(::posix_spawn_file_actions_adddup2(&it_, order.err, STDERR_FILENO));
    note(::posix_spawn_file_actions_addclosefrom_np(&it_, STDERR_FILENO + 1));
    if (order.cwd != nullptr) note(::posix_spawn_file_actions_addchdir_np(&it_, order.cwd));
  }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  ~FileActions() { ::posix_spawn_file_actions_destroy(&it_); }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &it_; }
  [[nodiscard]] int error() const { return error_; }

 private:
  void note(int error) {
    if (error_ == 0) error_ = error;
  }

  posix_spawn_file_actions_t it_{};
  int error_ = 0;
};

}  // namespace

int ChildProcess::start(const StartOrder& order) {
  const Attributes attributes;
  const FileActions files(order);
  if (files.error() != 0) return files.error();
  pid_t pid = 0;
  const int error =
      ::posix_spawn(&pid, order.program, files.get(), attributes.get(), order.argv, order.env);
  if (error != 0) return error;
  pid_ = pid;
  handle_ = files::Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return handle_.is_open() || errno == ESRCH ? 0 : errno;
}

void ChildProcess::signal(int number) const { ::kill(-pid_, number); }

void ChildProcess::reap() {
  int ignored = 0;
  while (::waitpid(pid_, &ignored, 0) < 0 && errno == EINTR) {
  }
  is_reaped_ = true;
}

ChildProcess::~ChildProcess() {
  if (pid_ == 0 || is_reaped_) return;
  signal(SIGKILL);
  reap();
}

}  // namespace pawl::actions
