#pragma once

/// Whose turn it is to submit. Between the look for an unfinished job and the moment the new one
/// is in the store nobody else of this machine looks: of several that start at once, one submits
/// and the others find its job.
///
/// The kernel ends a turn with its process, however that dies.

#include <filesystem>

#include "pawl/core/result.hpp"
#include "store/descriptor.hpp"
#include "store/file_lock.hpp"

namespace pawl::cli {

class SubmissionTurn {
 public:
  /// Waits for the turn, which is a file beside the directory where processes leave their marks.
  /// `refused` if the file cannot be created. The file is never deleted: otherwise one process
  /// could hold the deleted file while another creates a new one. `unavailable`, naming the holder,
  /// if the turn does not come in time.
  [[nodiscard]] static Result<SubmissionTurn> wait_for(const std::filesystem::path& run_directory,
                                                       const LockPatience& patience);

 private:
  explicit SubmissionTurn(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;  ///< holds the lock for as long as it is open
};

}  // namespace pawl::cli
