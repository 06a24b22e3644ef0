#pragma once

/// Who may submit now.

#include <filesystem>
#include <utility>

#include "files/descriptor.hpp"
#include "files/file_lock.hpp"
#include "pawl/core/result.hpp"

namespace pawl::actions {

/// A lock for submissions on this machine. A process holds it from the check for an unfinished job
/// until the new job is in the store. If several processes start at once, one submits and the
/// others find its job.
///
/// The kernel releases the lock when its process ends, in whatever way.
class SubmissionTurn {
 public:
  /// Waits for the lock, which is a file beside the run directory.
  /// `refused` if the file cannot be created. The file is never deleted: otherwise one process
  /// could hold the deleted file while another creates a new one. `unavailable`, naming the holder,
  /// if the lock is not free in time.
  [[nodiscard]] static Result<SubmissionTurn> wait_for(const std::filesystem::path& run_directory,
                                                       const files::LockPatience& patience);

 private:
  explicit SubmissionTurn(files::Descriptor file) : file_(std::move(file)) {}

  files::Descriptor file_;  ///< holds the lock for as long as it is open
};

}  // namespace pawl::actions
