#include "actions/spawn.hpp"

#include <cerrno>
#include <csignal>
#include <cstdint>

#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// clone() by its other name: the thread sanitizer takes every clone() for a fork, and ours, which
// shares our memory, would end its own count of threads. This one it does not see.
extern "C" int __clone(int (*)(void*), void*, int, void*, ...);  // NOLINT: the C library's

namespace pawl {

namespace {

/// The ordinary ones. Of those above, execve resets the handlers, and nobody ignores them: 33 calls
/// for nothing are 1 % of a short command.
constexpr int signals_max = 31;

// While it has our memory, the new process calls the kernel itself: the C library would write to
// the errno of the thread that started it, which runs meanwhile. Nor may the checks of a sanitizer
// be compiled in. Where we cannot call the kernel ourselves, the thread waits.
#if defined(__x86_64__)
constexpr bool calls_the_kernel = true;

/// What the kernel answers; a negative one is an errno.
[[gnu::always_inline]] inline long kernel(long number, long a = 0, long b = 0, long c = 0,
                                          long d = 0) {
  long answer = number;
  register long fourth asm("r10") = d;  // NOLINT: where the kernel looks for it
  asm volatile("syscall"
               : "+a"(answer)
               : "D"(a), "S"(b), "d"(c), "r"(fourth)
               : "rcx", "r11", "memory");
  return answer;
}
#else
constexpr bool calls_the_kernel = false;

[[gnu::always_inline]] inline long kernel(long number, long a = 0, long b = 0, long c = 0,
                                          long d = 0) {
  const long answer = ::syscall(number, a, b, c, d);
  return answer < 0 ? -errno : answer;
}
#endif

[[gnu::always_inline]] inline long address(const void* pointer) {
  return reinterpret_cast<long>(pointer);
}

/// A kernel before 5.9 has no such call, and some sandboxes refuse it.
bool can_close_a_range() {
  static const bool can = ::syscall(SYS_close_range, ~0U, ~0U, 0) == 0;  // of which none is open
  return can;
}

/// Makes one of the standard streams what was ordered.
[[gnu::always_inline]] inline long wire(int given, int stream) {
  if (given != stream) return kernel(SYS_dup3, given, stream, 0);
  return kernel(SYS_fcntl, given, F_SETFD, 0);  // kept open, then
}

[[gnu::always_inline]] __attribute__((no_sanitize("address", "thread", "undefined"))) inline long
prepare(const SpawnOrder& order, bool closes_a_range) {
  if (const long error = kernel(SYS_setpgid, 0, 0); error < 0) return error;
  // None of our handlers may run here, and what we ignore the program shall not.
  const unsigned long usual[4] = {};  // as the kernel has it: SIG_DFL, no flags
  for (int signal = 1; signal <= signals_max; ++signal) {
    kernel(SYS_rt_sigaction, signal, address(usual), 0, sizeof(std::uint64_t));
  }
  if (const long error = wire(order.in, STDIN_FILENO); error < 0) return error;
  if (const long error = wire(order.out, STDOUT_FILENO); error < 0) return error;
  if (const long error = wire(order.err, STDERR_FILENO); error < 0) return error;
  if (closes_a_range) {
    kernel(SYS_close_range, STDERR_FILENO + 1, static_cast<long>(~0U), 0);
  } else {
    ::closefrom(STDERR_FILENO + 1);
  }
  if (order.cwd != nullptr) {
    if (const long error = kernel(SYS_chdir, address(order.cwd)); error < 0) return error;
  }
  const std::uint64_t none = 0;
  return kernel(SYS_rt_sigprocmask, SIG_SETMASK, address(&none), 0, sizeof none);
}

}  // namespace

/// The new process, until it is the program.
__attribute__((no_sanitize("address", "thread", "undefined"))) int Spawning::begin(void* self) {
  auto& it = *static_cast<Spawning*>(self);
  long error = prepare(it.order_, it.closes_a_range_);
  if (error == 0) {
    error = kernel(SYS_execve, address(it.order_.program), address(it.order_.argv),
                   address(it.order_.env));
  }
  __atomic_store_n(&it.failure_, static_cast<int>(-error), __ATOMIC_RELEASE);
  for (;;) kernel(SYS_exit, 127);
}

int Spawning::start() {
  closes_a_range_ = can_close_a_range();
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  int handle = -1;
  const auto clone = [&](int waits) {
    return __clone(begin, stack_.data() + stack_.size(), CLONE_VM | CLONE_PIDFD | waits | SIGCHLD,
                   this, &handle);
  };
  pid_ = clone(calls_the_kernel && closes_a_range_ ? 0 : CLONE_VFORK);
  if (pid_ < 0 && errno == EINVAL) pid_ = clone(CLONE_VFORK);  // an emulator that knows no other
  const int error = pid_ < 0 ? errno : 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return error;
  handle_ = Descriptor(handle);
  return 0;
}

void Spawning::signal(int number) const {
  // Where there is no group yet the process is alone.
  if (::kill(-pid_, number) != 0) ::kill(pid_, number);
}

void Spawning::bury() {
  int ignored = 0;
  while (::waitpid(pid_, &ignored, 0) < 0 && errno == EINTR) {
  }
  is_buried_ = true;
}

Spawning::~Spawning() {
  if (pid_ <= 0 || is_buried_) return;
  signal(SIGKILL);
  bury();
}

}  // namespace pawl
