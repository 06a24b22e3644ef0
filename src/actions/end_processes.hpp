#pragma once

/// Ends processes that are known by what stands in their environment, or by their group.

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

#include "pawl/core/time.hpp"

namespace pawl {

/// A group by its leader (0: none), and when that one started, in ticks of the machine: with the
/// number that names one process for as long as the machine runs.
struct KnownGroup {
  pid_t leader = 0;
  std::uint64_t started_from = 0;
  std::uint64_t started_until = 0;
};

/// Every process with `variable` in its environment, or one that begins so; and the other members
/// of its group, where that is one of `groups` and its leader is there. A group without a process
/// that has the variable is not touched, whatever is known of it: its number may be wrong.
struct Wanted {
  std::string variable;
  bool is_beginning = false;
  std::vector<KnownGroup> groups;
};

/// Asks them to end, kills after `grace` those that did not, and waits until they are gone. Never
/// the calling process. Answers how many there were.
int end_processes(const Wanted& wanted, Duration grace);

}  // namespace pawl
