#pragma once

/// Marks: what this machine remembers of the processes of an attempt, so that whoever comes after a
/// crash can end them.
///
/// Before a process starts, a file in the run directory names its attempt, its owner and a random
/// token that stands in the environment of the process and of everything it starts (PAWL_RUN). The
/// owner holds a lock on the file for as long as it lives, so nobody has to guess from numbers
/// whether it is dead.

#include <filesystem>
#include <memory>
#include <string>

#include <sys/types.h>

#include "actions/descriptor.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl {

/// The mark of one process that we own, with the scratch directory of the same name beside it. Both
/// are removed with it.
class Mark {
 public:
  /// `name` is "<task>-<attempt>", perhaps with more behind; made unique where it is taken.
  [[nodiscard]] static Result<Mark> make(const std::filesystem::path& run_directory,
                                         const std::string& name);
  Mark(Mark&&) noexcept = default;
  Mark& operator=(Mark&&) = delete;
  ~Mark();

  [[nodiscard]] const std::string& token() const { return token_; }
  /// The scratch directory; made empty.
  [[nodiscard]] const std::filesystem::path& scratch() const { return scratch_; }
  /// Adds the leader of the group to the mark.
  void add_leader(pid_t leader);
  /// Ends everything that has our token: what left the group, when the attempt was stopped.
  void end_processes(Duration grace) const;

 private:
  Mark() = default;

  std::filesystem::path file_;
  std::filesystem::path scratch_;
  std::string token_;
  Descriptor lock_;
};

/// Ends what earlier attempts of this task have left: those of dead owners, and our own that are
/// fenced. Answers how many processes were ended.
int end_earlier_attempts(const std::filesystem::path& run_directory, TaskId task,
                         AttemptNumber current, Duration grace);

/// Removes a directory with everything in it, also what its owner has made unreadable for itself.
void remove_tree(const std::filesystem::path& path);

}  // namespace pawl
