#pragma once

/// The processes of this machine, as /proc shows them.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace pawl {

struct ProcessEntry {
  pid_t pid = 0;
  char state = '?';
  pid_t group = 0;
  /// Ticks since the machine started: with the number it names one process for as long as the
  /// machine runs.
  std::uint64_t started = 0;

  [[nodiscard]] bool is_living() const { return state != 'Z' && state != 'X'; }
};

/// Empty when there is no such process.
[[nodiscard]] std::optional<ProcessEntry> process_entry(pid_t pid);
/// All numbers there are now.
[[nodiscard]] std::vector<pid_t> all_processes();
/// Whether the environment it was started with holds this variable, or one that begins so; false
/// where we may not look.
[[nodiscard]] bool has_variable(pid_t pid, std::string_view variable, bool is_beginning = false);
[[nodiscard]] bool has_living_members(pid_t group);

/// The time in which `started` is told.
[[nodiscard]] std::uint64_t ticks_now();

/// Which run of the machine this is.
[[nodiscard]] std::string boot_id();

}  // namespace pawl
