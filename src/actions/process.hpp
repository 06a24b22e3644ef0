#pragma once

/// One process, run to its end. The calling thread waits.
///
/// The process leads a group of its own, and nothing of that group outlives the call. Its standard
/// input is the given text, then the end; its signals are as a shell would have them; it inherits
/// no descriptor and no variable that was not given. Output is read as fast as it comes, however
/// much of it there is, so the process never waits for us.
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

namespace pawl {

struct ProcessSpec {
  std::vector<std::string> argv;  ///< a name without a slash is looked up in the PATH of `env`
  std::string input;
  std::vector<std::string> env;  ///< "NAME=value"
  std::string cwd;               ///< empty: ours
  /// From SIGTERM to SIGKILL, when it is asked to stop.
  Duration grace = std::chrono::seconds(10);
  std::stop_token stop;
  /// What is kept of stdout, and of stderr, as logs.
  std::size_t log_bytes_max = std::size_t{1} << 20U;
  /// What is kept of stdout as it is, from its start; 0: nothing.
  std::size_t capture_bytes_max = 0;
  /// Where stdout goes instead, an open descriptor; -1: to the logs.
  int out_to = -1;
  /// Where the logs are written as they come, up to `log_bytes_max`; empty: nowhere.
  std::string out_file;
  std::string err_file;
  /// Shown as *** in the logs.
  std::vector<std::string> secrets;
  /// Called once with the leader of the group, before anything is read from it.
  std::function<void(pid_t leader)> started;
};

/// Why a process could not be started.
enum class StartFault : std::uint8_t {
  command_not_found,
  not_executable,
  no_directory,
  too_long,  ///< arguments and environment together
  other,     ///< out of processes, of memory, of descriptors: may work later
};

struct ProcessEnd {
  enum class How : std::uint8_t { exited, signalled, not_started };
  How how = How::exited;
  int number = 0;  ///< the exit code, the signal, or the errno
  StartFault fault = StartFault::other;
  std::string fault_text;  ///< "command not found: frobnicate (looked in /usr/bin:/bin)"
  bool stopped = false;    ///< it was asked to stop before it had ended
  std::string out;         ///< the logs: masked, and cut in the middle where they are long
  std::string err;
  std::int64_t out_bytes = 0;  ///< how long they were
  std::int64_t err_bytes = 0;
  std::string captured;
  bool captured_all = true;
  Duration took{0};
};

[[nodiscard]] ProcessEnd run_process(const ProcessSpec& spec);

/// "SIGKILL"
[[nodiscard]] std::string signal_name(int signal);

}  // namespace pawl
