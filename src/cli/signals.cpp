#include "cli/signals.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <limits>

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "pawl/core/result.hpp"

namespace pawl::cli {

namespace {

/// The descriptor of the only `StopSignals`; -1 if there is none.
std::atomic<int> held_back = -1;
std::atomic<bool> ends_waits = true;

/// For poll: never negative, which would wait for ever.
int milliseconds_of(Duration duration) {
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(duration).count();
  return static_cast<int>(
      std::clamp<std::int64_t>(milliseconds, 0, std::numeric_limits<int>::max()));
}

sigset_t stop_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  return set;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t set = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  require(descriptor_ >= 0, "signals can be waited for");
  held_back = descriptor_;
}

// The signals stay blocked: the process is about to end, and a late second Ctrl-C must not cut off
// its last messages.
StopSignals::~StopSignals() {
  held_back = -1;
  ::close(descriptor_);
}

int StopSignals::take(Duration duration) const {
  pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&waiting, 1, milliseconds_of(duration));
  if (ready <= 0) return 0;
  signalfd_siginfo taken{};
  const bool is_taken =
      ::read(descriptor_, &taken, sizeof taken) == static_cast<ssize_t>(sizeof taken);
  return is_taken ? static_cast<int>(taken.ssi_signo) : 0;
}

bool stop_is_pending() {
  if (!ends_waits) return false;
  pollfd looked{.fd = held_back, .events = POLLIN, .revents = 0};
  return looked.fd >= 0 && ::poll(&looked, 1, 0) > 0 && (looked.revents & POLLIN) != 0;
}

namespace {

InputWait poll_input(int descriptor, int milliseconds) {
  for (;;) {
    // poll skips a negative descriptor: then no signals are blocked.
    std::array<pollfd, 2> waiting{pollfd{.fd = descriptor, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = held_back, .events = POLLIN, .revents = 0}};
    const int found = ::poll(waiting.data(), waiting.size(), milliseconds);
    if (found < 0 && errno == EINTR) continue;
    if (found == 0) return InputWait::nothing;
    return waiting[1].revents == 0 ? InputWait::ready : InputWait::signal;
  }
}

}  // namespace

InputWait wait_for_input(int descriptor, Duration patience) {
  return poll_input(descriptor, milliseconds_of(patience));
}

bool wait_for_input(int descriptor) { return poll_input(descriptor, -1) == InputWait::ready; }

void let_waits_end_by_themselves() { ends_waits = false; }

}  // namespace pawl::cli
