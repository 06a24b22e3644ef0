#include "actions/end_processes.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <vector>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "actions/descriptor.hpp"
#include "actions/process_table.hpp"

namespace pawl {

namespace {

using Clock = std::chrono::steady_clock;
/// How long killed processes may take to be gone: one in the middle of a write to a slow disk.
constexpr auto vanish_max = std::chrono::seconds(5);

bool is_wanted(const ProcessEntry& entry, const Wanted& wanted) {
  if (!entry.is_living() || entry.pid == ::getpid()) return false;
  if (has_variable(entry.pid, wanted.variable, wanted.is_beginning)) return true;
  const auto group = std::ranges::find(wanted.groups, entry.group, &KnownGroup::leader);
  if (entry.group == 0 || group == wanted.groups.end()) return false;
  const auto leader = process_entry(group->leader);
  return leader && leader->started >= group->started_from &&
         leader->started <= group->started_until;
}

/// A process by a handle that never means another.
struct Held {
  Descriptor handle;
  pid_t pid = 0;
};

class Ending {
 public:
  explicit Ending(const Wanted& wanted) : wanted_(wanted) {}

  /// Takes hold of those that are there; answers whether there are any.
  bool find() {
    held_.clear();
    for (const pid_t pid : all_processes()) {
      const auto entry = process_entry(pid);
      if (!entry || !is_wanted(*entry, wanted_)) continue;
      Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
      // Looked at once more: the number may have changed hands before it was held.
      const auto again = process_entry(pid);
      if (!handle.is_open() || !again || again->started != entry->started) continue;
      seen_.emplace(pid, entry->started);
      held_.push_back({std::move(handle), pid});
    }
    return !held_.empty();
  }

  void signal(int number) const {
    for (const Held& one : held_) {
      ::syscall(SYS_pidfd_send_signal, one.handle.get(), number, nullptr, 0);
    }
  }

  /// Waits until all that are held have ended; false when the time is over.
  bool wait(Clock::time_point until) {
    for (const Held& one : held_) {
      for (;;) {
        pollfd event{.fd = one.handle.get(), .events = POLLIN, .revents = 0};
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
        if (::poll(&event, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000))) > 0) {
          break;
        }
        if (Clock::now() >= until) return false;
      }
    }
    return true;
  }

  [[nodiscard]] int count() const { return static_cast<int>(seen_.size()); }

 private:
  const Wanted& wanted_;
  std::vector<Held> held_;
  std::map<pid_t, std::uint64_t> seen_;
};

}  // namespace

int end_processes(const Wanted& wanted, Duration grace) {
  Ending ending(wanted);
  const Clock::time_point kill_at = Clock::now() + grace;
  // Once more after each round: one of them may have started another in between.
  while (ending.find()) {
    if (Clock::now() >= kill_at) break;
    ending.signal(SIGTERM);
    ending.signal(SIGCONT);
    if (!ending.wait(kill_at)) break;
  }
  const Clock::time_point give_up_at = Clock::now() + vanish_max;
  while (Clock::now() < give_up_at && ending.find()) {
    ending.signal(SIGKILL);
    (void)ending.wait(give_up_at);
  }
  return ending.count();
}

}  // namespace pawl
