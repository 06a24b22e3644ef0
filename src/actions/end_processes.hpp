#pragma once

/// Ends processes that are known by what stands in their environment, or by their group.

#include <cstdint>
#include <string>

#include <sys/types.h>

#include "pawl/core/time.hpp"

namespace pawl {

/// Every process with `variable` in its environment; and the members of `group` (0: none) as long
/// as its leader is the process that started at `leader_started`.
struct Wanted {
  std::string variable;
  pid_t group = 0;
  std::uint64_t leader_started = 0;
};

/// Asks them to end, kills after `grace` those that did not, and waits until they are gone. Never
/// the calling process. Answers how many there were.
int end_processes(const Wanted& wanted, Duration grace);

}  // namespace pawl
