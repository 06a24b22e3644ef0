#pragma once

/// A program that runs in a process group of its own.

#include <sys/types.h>

#include "files/descriptor.hpp"

namespace pawl::actions {

/// What to start. Used only during `start`.
struct StartOrder {
  const char* program = nullptr;  ///< a path
  char* const* argv = nullptr;    ///< ends with a null pointer, like `env`
  char* const* env = nullptr;
  const char* cwd = nullptr;  ///< null: the current directory
  /// Its standard streams; the numbers must be above 2. It gets no other descriptors.
  int in = -1;
  int out = -1;
  int err = -1;
};

/// Threads: one at a time.
class ChildProcess {
 public:
  ChildProcess() = default;
  /// Kills the group, and reaps its leader unless that has been done.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Call once. Returns 0 if the program runs, or the errno if it could not be started. Resets the
  /// signals as a shell does.
  [[nodiscard]] int start(const StartOrder& order);

  [[nodiscard]] pid_t pid() const { return pid_; }  ///< also the number of its group
  /// Becomes readable when the process has ended. Not open if another part of this program has
  /// reaped it.
  [[nodiscard]] const files::Descriptor& handle() const { return handle_; }
  /// Signals the group. Do not call it after the leader is reaped: the number may belong to another
  /// process.
  void signal(int number) const;
  /// Waits for the end of the leader.
  void reap();

 private:
  pid_t pid_ = 0;
  bool is_reaped_ = false;
  files::Descriptor handle_;
};

}  // namespace pawl::actions
