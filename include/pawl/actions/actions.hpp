#pragma once

/// The code for the stages of workflow files: commands, shell scripts, human stages, and the gates
/// that judge them. docs/reference/subprocess.md describes the subprocess protocol.
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
  /// Holds the scratch directories and process marks of attempts. Must be on a local disk. Created
  /// if missing, readable by this user alone. It determines which processes are ended and which
  /// directories are removed, so a directory that other users can write to is refused.
  std::filesystem::path run_directory;
  /// Uses a run directory even if other users can write to it.
  bool trust_owner = false;
  /// The time between SIGTERM and SIGKILL. The engine's own grace must be longer.
  Duration grace = std::chrono::seconds(10);
  /// The most bytes kept of stdout, and of stderr.
  std::size_t log_bytes_max = std::size_t{1} << 20U;
  /// Limits on the `file` outputs and artifacts of one attempt: their total size in bytes, and
  /// their number. An attempt that exceeds one fails for good.
  std::int64_t file_bytes_max = std::int64_t{16} << 30U;
  std::size_t files_max = 1'000;
  /// Called when the store does not accept the output of a command. The write is retried until it
  /// succeeds.
  std::function<void(const Error&)> on_trouble;
  /// Reads an environment variable: for secrets, and for the few variables that commands inherit.
  std::function<const char*(const char*)> environment;  ///< default: ::getenv
};

/// A secret that a stage names and that is unset or empty in the environment of this process.
struct MissingSecret {
  std::string stage;
  std::string name;
  friend bool operator==(const MissingSecret&, const MissingSecret&) = default;
};
/// In the order of the stages. `environment` as in `ActionOptions`.
[[nodiscard]] std::vector<MissingSecret> missing_secrets(
    const Workflow& workflow, const std::function<const char*(const char*)>& environment = {});

/// Something that a stage needs and that this process does not have.
struct MissingNeed {
  enum class Kind : std::uint8_t {
    secret,   ///< an environment variable: see `MissingSecret`
    script,   ///< a file that does not exist: see `NamedFile::is_script`
    program,  ///< a program that is not in PATH
  };
  std::string stage;
  Kind kind = Kind::secret;
  std::string name;  ///< of a script: its path, relative to the workflow file
  friend bool operator==(const MissingNeed&, const MissingNeed&) = default;
};
/// In the order of the stages. `directory`: that of the workflow file. `environment` as in
/// `ActionOptions`. A program whose name has a reference is not looked for.
[[nodiscard]] std::vector<MissingNeed> missing_needs(
    const Workflow& workflow, const std::filesystem::path& directory,
    const std::function<const char*(const char*)>& environment = {});
/// Those of one stage.
[[nodiscard]] std::vector<MissingNeed> missing_needs(
    const StageDefinition& stage, const std::filesystem::path& directory,
    const std::function<const char*(const char*)>& environment = {});

/// The code for every stage that a workflow file defined, in whichever process. There is none for a
/// stage with a missing secret: another process has to run it. A stage whose script does not exist
/// is left alone for as long as that is so. The working directory of a stage is
/// the directory named in its job's labels ("project"): that of its workflow file.
[[nodiscard]] CodeSource file_actions(std::shared_ptr<Store> store, ActionOptions options);

/// The result of searching a run directory.
struct Orphans {
  int ended = 0;  ///< number of processes
  /// Only marks that nobody but this user could have made are acted on. One sentence for each of
  /// the others.
  std::vector<std::string> left_alone;
};
/// Ends every process on this machine that belongs to an attempt of a worker process that has died.
/// A task that runs again does this for itself; calling it at start also frees other resources held
/// by such processes. `refused` for a directory that other users can write to.
[[nodiscard]] Result<Orphans> end_orphans(const std::filesystem::path& run_directory,
                                          Duration grace, bool trust_owner = false);

}  // namespace pawl
