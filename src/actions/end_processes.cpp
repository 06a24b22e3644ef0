#include "actions/end_processes.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <vector>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "actions/process_table.hpp"
#include "files/descriptor.hpp"

namespace pawl::actions {

namespace {

using Clock = std::chrono::steady_clock;
/// How long killed processes may take to disappear, for example during a write to a slow disk.
constexpr auto vanish_max = std::chrono::seconds(5);

/// Whether the process leads one of the groups, and its number has not been reused.
bool is_known_leader(const ProcessEntry& entry, const Wanted& wanted) {
  const auto known = std::ranges::find(wanted.groups, entry.pid, &KnownGroup::leader);
  return known != wanted.groups.end() && entry.pid == entry.group &&
         entry.started >= known->started_from && entry.started <= known->started_until;
}

/// A process with a handle that stays valid if its number is reused.
struct Held {
  files::Descriptor handle;
  pid_t pid = 0;
};

class Ending {
 public:
  explicit Ending(const Wanted& wanted) : wanted_(wanted) {}

  /// Opens a handle to each wanted process. Returns whether there are any.
  bool find() {
    held_.clear();
    for (const ProcessEntry& entry : all_wanted()) {
      files::Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, entry.pid, 0)));
      // Check again: the number may have been reused before the handle was opened.
      const auto again = process_entry(entry.pid);
      if (!handle.is_open() || !again || again->started != entry.started) continue;
      seen_.insert_or_assign(entry.pid, entry.started);
      held_.push_back({std::move(handle), entry.pid});
    }
    return !held_.empty();
  }

  void signal(int number) const {
    for (const Held& one : held_) {
      ::syscall(SYS_pidfd_send_signal, one.handle.get(), number, nullptr, 0);
    }
  }

  /// Waits until all of them have ended. Returns false if the time is over.
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
  /// The processes that have the variable, and the other members of their group if the group is
  /// known. A process that was wanted once stays wanted, even if the process with the variable has
  /// ended since.
  [[nodiscard]] std::vector<ProcessEntry> all_wanted() const {
    std::vector<ProcessEntry> living;
    std::set<pid_t> bearers;
    std::set<pid_t> known_groups;
    std::set<pid_t> proven_groups;
    for (const pid_t pid : all_processes()) {
      const auto entry = process_entry(pid);
      if (!entry) continue;
      // A leader that has ended but was not reaped still identifies its group.
      if (is_known_leader(*entry, wanted_)) known_groups.insert(entry->group);
      if (!entry->is_living() || pid == ::getpid()) continue;
      living.push_back(*entry);
      if (!has_variable(pid, wanted_.variable, wanted_.is_beginning)) continue;
      bearers.insert(pid);
      proven_groups.insert(entry->group);
    }
    std::erase_if(living, [&](const ProcessEntry& entry) {
      const bool is_member =
          known_groups.contains(entry.group) && proven_groups.contains(entry.group);
      return !is_member && !bearers.contains(entry.pid) && !was_seen(entry);
    });
    return living;
  }
  [[nodiscard]] bool was_seen(const ProcessEntry& entry) const {
    const auto seen = seen_.find(entry.pid);
    return seen != seen_.end() && seen->second == entry.started;
  }

  const Wanted& wanted_;
  std::vector<Held> held_;
  std::map<pid_t, std::uint64_t> seen_;
};

}  // namespace

int end_processes(const Wanted& wanted, Duration grace) {
  Ending ending(wanted);
  const Clock::time_point kill_at = Clock::now() + grace;
  // Look again after each round, because a process may have started another one.
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

}  // namespace pawl::actions
