#pragma once

/// Starts a program in a process group of its own.
///
/// What posix_spawn does, without the wait: posix_spawn holds up its caller until the new process
/// has become the program, which costs two changes of threads for every command. Here the caller
/// goes on at once (on x86-64), and learns in the end whether there was a program.

#include <array>

#include <sys/types.h>

#include "store/descriptor.hpp"

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

/// A process on its way to its program. Until it is there it uses our memory: this object, and all
/// that the order points to, must stay where they are until the process has ended.
class Spawning {
 public:
  explicit Spawning(const SpawnOrder& order) : order_(order) {}
  /// Kills the process where nobody has buried it.
  ~Spawning();
  Spawning(const Spawning&) = delete;
  Spawning& operator=(const Spawning&) = delete;

  /// Once. Returns when there is a process; whether it becomes the program, `failure` says. An
  /// errno where there is none; 0 where there is. The descriptors of the order may be closed now.
  /// The program will find its signals as a new shell has them.
  /// Threads: any.
  [[nodiscard]] int start();

  [[nodiscard]] pid_t pid() const { return pid_; }  ///< also the number of the group it will lead
  [[nodiscard]] const Descriptor& handle() const { return handle_; }
  /// Sends its group a signal, from the first moment on. Not after it has been buried.
  void signal(int number) const;
  /// Waits for the end of the process; from then on its number may become another's.
  void bury();
  /// Of a process that has ended: why it never became the program, an errno. 0: it did.
  [[nodiscard]] int failure() const { return __atomic_load_n(&failure_, __ATOMIC_ACQUIRE); }

 private:
  static int begin(void* self);

  const SpawnOrder order_;
  pid_t pid_ = 0;
  bool closes_a_range_ = false;
  bool is_buried_ = false;
  Descriptor handle_;
  int failure_ = 0;                             ///< set by the process
  alignas(64) std::array<char, 16'384> stack_;  ///< of the process, until it is the program
};

}  // namespace pawl
