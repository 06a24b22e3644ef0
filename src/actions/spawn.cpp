#include "actions/spawn.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_THREAD__)
// The thread sanitizer takes every clone() for a fork, and ours, which shares our memory, would end
// its own count of threads. By its other name it is not seen.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...);  // NOLINT: the C library's
static constexpr auto real_clone = &::__clone;
#else
static constexpr auto real_clone = &::clone;
#endif

namespace pawl {

namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10U;
constexpr int signals_max = 64;

struct Start {
  const SpawnOrder& order;
  int error = 0;
};

/// Makes one of the standard streams what was ordered.
bool wire(int given, int stream) {
  if (given != stream) return ::syscall(SYS_dup3, given, stream, 0) >= 0;
  return ::syscall(SYS_fcntl, given, F_SETFD, 0) >= 0;  // kept open, then
}

bool prepare(const SpawnOrder& order) {
  if (::syscall(SYS_setpgid, 0, 0) != 0) return false;
  // None of our handlers may run here, and what we ignore the program shall not.
  constexpr std::array<unsigned long, 4> usual{};  // as the kernel has it: SIG_DFL, no flags
  for (int signal = 1; signal <= signals_max; ++signal) {
    ::syscall(SYS_rt_sigaction, signal, usual.data(), nullptr, sizeof(std::uint64_t));
  }
  if (!wire(order.in, STDIN_FILENO) || !wire(order.out, STDOUT_FILENO) ||
      !wire(order.err, STDERR_FILENO)) {
    return false;
  }
  if (::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0) != 0) ::closefrom(STDERR_FILENO + 1);
  if (order.cwd != nullptr && ::syscall(SYS_chdir, order.cwd) != 0) return false;
  constexpr std::uint64_t none = 0;
  return ::syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, nullptr, sizeof none) == 0;
}

/// The new process, until it is the program. It has our memory while the thread that started it
/// waits: so nothing but plain calls of the kernel, which no checking tool looks into.
[[gnu::no_sanitize("address", "thread", "undefined")]] int begin(void* argument) {
  auto& start = *static_cast<Start*>(argument);
  if (prepare(start.order)) {
    ::syscall(SYS_execve, start.order.program, start.order.argv, start.order.env);
  }
  start.error = errno;
  ::syscall(SYS_exit, 127);
  return 127;
}

char* end_of_stack() {
  thread_local const std::unique_ptr<char[]> stack(new char[stack_bytes]);  // NOLINT: never read
  return stack.get() + stack_bytes;
}

}  // namespace

Spawned spawn(const SpawnOrder& order) {
  Start start{.order = order};
  Spawned spawned;
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int handle = -1;
  spawned.pid = real_clone(begin, end_of_stack(), CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD,
                           &start, &handle);
  spawned.error = spawned.pid < 0 ? errno : start.error;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (spawned.pid < 0) return spawned;
  spawned.handle = Descriptor(handle);
  if (spawned.error != 0) {
    int ignored = 0;
    while (::waitpid(spawned.pid, &ignored, 0) < 0 && errno == EINTR) {
    }
  }
  return spawned;
}

}  // namespace pawl
