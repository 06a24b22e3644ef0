#pragma once

/// What running attempts on this machine have written so far: their logs, progress and messages.
///
/// Reads the scratch directories of the run directory (workspace.hpp), which disappear when the
/// command ends. Their content comes from commands and is not trusted: only regular files are read,
/// and only a bounded part of them.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/ids.hpp"

namespace pawl::actions {

/// The newest values in the lines of PAWL_EVENTS.
struct LiveReport {
  std::optional<double> progress;
  std::string message;  ///< shortened; may contain any character

  [[nodiscard]] bool is_empty() const { return !progress && message.empty(); }
};

/// An attempt that has written PAWL_EVENTS.
struct ReportingAttempt {
  TaskId task;
  AttemptNumber attempt = 0;
  LiveReport report;
};

class LiveAttempts {
 public:
  /// Finds nothing in a directory that others could have written, unless `trust_owner` is set.
  LiveAttempts(std::filesystem::path run_directory, bool trust_owner);

  /// Whether the command of this attempt runs on this machine.
  [[nodiscard]] bool has(TaskId task, AttemptNumber attempt) const;
  /// The log ("stdout" or "stderr") from this byte on; empty if there is nothing new.
  [[nodiscard]] std::string log(TaskId task, AttemptNumber attempt, std::string_view stream,
                                std::int64_t from = 0) const;
  /// Every attempt that has reported progress or a message, ordered by task.
  [[nodiscard]] std::vector<ReportingAttempt> reports() const;

 private:
  /// The scratch directories of all attempts.
  [[nodiscard]] std::vector<std::filesystem::path> scratch_directories() const;
  /// The scratch directory of an attempt; empty if it is not here.
  [[nodiscard]] std::filesystem::path find(TaskId task, AttemptNumber attempt) const;

  std::filesystem::path run_;  ///< empty: not trusted
};

}  // namespace pawl::actions
