#pragma once

/// Ends processes that are identified by their environment or by their group.

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "pawl/core/time.hpp"

namespace pawl::actions {

/// A group, identified by its leader (0: none) and the time the leader started, in clock ticks.
/// Number and start time identify a process for as long as the machine runs.
struct KnownGroup {
  pid_t leader = 0;
  std::uint64_t started_from = 0;
  std::uint64_t started_until = 0;
};

/// The processes with `variable` in their environment (with `is_beginning`, a variable that starts
/// with it), and the other members of their group if the group is one of `groups` and its leader
/// exists. A group without a process that has the variable is left alone, because its number may be
/// wrong.
struct Wanted {
  std::string variable;
  bool is_beginning = false;
  std::vector<KnownGroup> groups;
};

/// Asks the processes to end, kills those that have not ended after `grace`, and waits until they
/// are gone. Never ends the calling process. Returns how many processes there were.
int end_processes(const Wanted& wanted, Duration grace);

}  // namespace pawl::actions
