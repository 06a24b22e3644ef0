#pragma once

/// The processes of this machine, as /proc shows them.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace pawl::actions {

struct ProcessEntry {
  pid_t pid = 0;
  char state = '?';
  pid_t group = 0;
  /// Clock ticks since the machine started. Number and start time identify a process for as long as
  /// the machine runs.
  std::uint64_t started = 0;

  [[nodiscard]] bool is_living() const { return state != 'Z' && state != 'X'; }
};

/// Empty when there is no such process.
[[nodiscard]] std::optional<ProcessEntry> process_entry(pid_t pid);
/// The numbers of all current processes.
[[nodiscard]] std::vector<pid_t> all_processes();
/// Whether the environment it was started with contains this variable, or with `is_beginning` one
/// that starts with it. False if we may not read it.
[[nodiscard]] bool has_variable(pid_t pid, std::string_view variable, bool is_beginning = false);
[[nodiscard]] bool has_living_members(pid_t group);

/// The current time on the clock of `started`.
[[nodiscard]] std::uint64_t ticks_now();

/// Identifies this boot of the machine.
[[nodiscard]] std::string boot_id();

}  // namespace pawl::actions
