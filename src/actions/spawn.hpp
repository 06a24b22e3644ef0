#pragma once

/// Starts a program in a process group of its own.
///
/// What posix_spawn does, with less: the stack of the short time before the program runs is kept
/// for the next one, and the handle of the process comes with it.

#include <sys/types.h>

#include "actions/descriptor.hpp"

namespace pawl {

struct SpawnOrder {
  const char* program = nullptr;  ///< a path
  char* const* argv = nullptr;    ///< ends with a null, and so does `env`
  char* const* env = nullptr;
  const char* cwd = nullptr;  ///< null: ours
  /// What its standard streams are. It has no other descriptor.
  int in = -1;
  int out = -1;
  int err = -1;
};

struct Spawned {
  int error = 0;  ///< an errno; 0: it runs
  pid_t pid = 0;  ///< also the number of its group
  Descriptor handle;
};

/// Returns when the program has begun or could not. Its signals are all as a shell would have them.
/// Threads: any.
[[nodiscard]] Spawned spawn(const SpawnOrder& order);

}  // namespace pawl
