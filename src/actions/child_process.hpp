#pragma once

/// A program that runs in a process group of its own.

#include <sys/types.h>

#include "store/descriptor.hpp"

namespace pawl {

/// What to start. Only `start` reads it.
struct StartOrder {
  const char* program = nullptr;  ///< a path
  char* const* argv = nullptr;    ///< ends with a null, and so does `env`
  char* const* env = nullptr;
  const char* cwd = nullptr;  ///< null: ours
  /// Its standard streams, with numbers above 2. It gets no other descriptor.
  int in = -1;
  int out = -1;
  int err = -1;
};

/// Threads: one at a time.
class ChildProcess {
 public:
  ChildProcess() = default;
  /// Kills the group and reaps its leader, if nobody has.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Once. Returns 0 when the program runs, and an errno when it could not be started. Its signals
  /// are set as a shell sets them.
  [[nodiscard]] int start(const StartOrder& order);

  [[nodiscard]] pid_t pid() const { return pid_; }  ///< also the number of its group
  /// Readable when it has ended. Not open where another part of this program has reaped it.
  [[nodiscard]] const Descriptor& handle() const { return handle_; }
  /// Sends its group a signal. Not after it has been reaped: its number may then be another's.
  void signal(int number) const;
  /// Waits for the end of the leader.
  void reap();

 private:
  pid_t pid_ = 0;
  bool is_reaped_ = false;
  Descriptor handle_;
};

}  // namespace pawl
