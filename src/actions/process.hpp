#pragma once

/// Runs one process to its end. The calling thread waits.
///
/// The process leads its own group, and no process of that group outlives the call. Its standard
/// input is the given text, then the end. Its signals are set as in a shell. It inherits only the
/// descriptors and variables that are given. Output is read as fast as it arrives, whatever its
/// size, so the process never waits for us.
///
/// Threads: any number of processes at once.

#include <chrono>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "pawl/core/time.hpp"

namespace pawl::actions {

struct ProcessSpec {
  std::vector<std::string> argv;  ///< a name without a slash is looked up in the PATH of `env`
  std::string input;
  std::vector<std::string> env;  ///< "NAME=value"
  std::string cwd;               ///< empty: the current directory
  /// The time from SIGTERM to SIGKILL when it is asked to stop.
  Duration grace = std::chrono::seconds(10);
  std::stop_token stop;
  /// How much of stdout and of stderr is kept as a log.
  std::size_t log_bytes_max = std::size_t{1} << 20U;
  /// How much of stdout is kept unchanged, from its start; 0: nothing.
  std::size_t capture_bytes_max = 0;
  /// An open descriptor for stdout; -1: stdout goes to the logs.
  int out_to = -1;
  /// Files to which the logs are written as they arrive, up to `log_bytes_max`; empty: none.
  std::string out_file;
  std::string err_file;
  /// Masked as *** in the logs.
  std::vector<std::string> secrets;
  /// Called once with the leader of the group, before its output is read.
  std::function<void(pid_t leader)> started;
};

/// Why a process could not be started.
enum class StartFault : std::uint8_t {
  command_not_found,
  not_executable,
  no_directory,
  too_long,  ///< arguments and environment together
  other,     ///< out of processes, memory or descriptors: may work later
};

struct ProcessEnd {
  enum class How : std::uint8_t { exited, signalled, not_started };
  How how = How::exited;
  int number = 0;  ///< the exit code, the signal, or the errno
  StartFault fault = StartFault::other;
  std::string fault_text;  ///< "command not found: frobnicate (looked in /usr/bin:/bin)"
  bool stopped = false;    ///< it was asked to stop before it ended
  std::string out;         ///< the logs: masked, and cut in the middle if they are long
  std::string err;
  std::int64_t out_bytes = 0;  ///< their full length
  std::int64_t err_bytes = 0;
  std::string captured;
  bool captured_all = true;
  Duration took{0};
};

[[nodiscard]] ProcessEnd run_process(const ProcessSpec& spec);

/// "SIGKILL"
[[nodiscard]] std::string signal_name(int signal);

}  // namespace pawl::actions
