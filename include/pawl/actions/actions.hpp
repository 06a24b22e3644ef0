#pragma once

/// Stages of workflow files as code: commands, shell scripts, people, and the gates that judge
/// them. The subprocess protocol is docs/reference/subprocess.md.
///
///   engine.serve(pawl::file_actions(store, {.run_directory = ".pawl/run"}));

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pawl/core/time.hpp"
#include "pawl/runtime/engine.hpp"
#include "pawl/store/store.hpp"

namespace pawl {

struct ActionOptions {
  /// Where attempts have their scratch directories and their marks. On this machine's disk; made
  /// where it is missing, for this user alone. It says which processes are ended and which
  /// directories are removed, so one that others could write to is refused.
  std::filesystem::path run_directory;
  /// Uses a run directory although others could write to it.
  bool trust_owner = false;
  /// From SIGTERM to SIGKILL. The engine's own grace must be longer.
  Duration grace = std::chrono::seconds(10);
  /// What is kept of stdout, and of stderr.
  std::size_t log_bytes_max = std::size_t{1} << 20U;
  /// How much one attempt may hand in as `file` outputs and artifacts: bytes of all of them
  /// together, and their number. An attempt that hands in more fails for good.
  std::int64_t file_bytes_max = std::int64_t{16} << 30U;
  std::size_t files_max = 1'000;
  /// Called when the store does not take what a command brought; it is tried until it does.
  std::function<void(const Error&)> on_trouble;
  /// Reads a variable of this process: secrets, and the few that commands inherit.
  std::function<const char*(const char*)> environment;  ///< default: ::getenv
};

/// Code for every stage that a workflow file defined, in whatever process. A stage's working
/// directory is the project in its job's labels ("project").
[[nodiscard]] CodeSource file_actions(std::shared_ptr<Store> store, ActionOptions options);

/// What was found in a run directory.
struct Orphans {
  int ended = 0;  ///< processes
  /// Marks that nobody but this user could have made are acted on, and no others. One sentence for
  /// each of those.
  std::vector<std::string> left_alone;
};
/// Ends every process that an attempt of a process now dead has left on this machine. A task that
/// runs again does this for itself; at start it frees what else is held. `refused` for a directory
/// that others could write to.
[[nodiscard]] Result<Orphans> end_orphans(const std::filesystem::path& run_directory,
                                          Duration grace, bool trust_owner = false);

}  // namespace pawl
