#pragma once

/// Marks: what this machine remembers of the processes of attempts, so that whoever comes after a
/// crash can end them.
///
///   run/<worker>.mark                  the mark of a worker: its token, a line for each attempt
///   run/<worker>/<task>-<attempt>/     the scratch directory of an attempt
///
/// A worker makes its mark before its first process starts and holds a lock on it for as long as it
/// lives, so nobody has to guess from numbers whether it is dead. Its random token, with the number
/// of the attempt behind it, stands in the environment of each process and of everything that one
/// starts (PAWL_RUN). Each attempt writes its line before its process starts, and adds the group
/// behind it.
///
/// All of it is for this user alone, and a run directory that others could write to is refused.

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "actions/mark_file.hpp"
#include "actions/scratch.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"
#include "store/descriptor.hpp"

namespace pawl {

/// The mark of a worker that we are, with the folder of its scratch directories. Both are removed
/// with it. Threads: any.
class WorkerMark {
 public:
  [[nodiscard]] static Result<std::shared_ptr<WorkerMark>> make(
      const std::filesystem::path& run_directory, bool trust_owner);
  WorkerMark(const WorkerMark&) = delete;
  WorkerMark& operator=(const WorkerMark&) = delete;
  ~WorkerMark();

  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] const std::filesystem::path& file() const { return path_; }
  /// Where its scratch directories are.
  [[nodiscard]] std::string folder() const;

  /// A line that no living attempt has, and a number that none ever had.
  struct Line {
    std::size_t place = 0;
    std::int64_t number = 0;
  };
  [[nodiscard]] Line take_line();
  /// Writes the line of an attempt; `unavailable` when the disk is full.
  [[nodiscard]] Status write(std::size_t place, const MarkLine& line);
  void give_back(std::size_t place);

 private:
  WorkerMark(std::filesystem::path path, std::string token, Descriptor file);

  std::filesystem::path path_;
  std::string token_;
  pid_t owner_;

  Descriptor file_;  ///< locked; each line has one writer

  std::mutex mutex_;
  std::int64_t last_number_ = 0;     ///< guarded by mutex_
  std::size_t lines_ = 1;            ///< guarded by mutex_
  std::vector<std::size_t> unused_;  ///< guarded by mutex_
};

/// The mark of one process that we own, with its scratch directory.
class Mark {
 public:
  Mark(Mark&&) noexcept = default;
  Mark& operator=(Mark&&) = delete;
  ~Mark();

  /// What stands in PAWL_RUN.
  [[nodiscard]] std::string token() const;
  [[nodiscard]] const ScratchDirectory& scratch() const { return scratch_; }
  /// Adds the leader of the group to the mark.
  void add_leader(pid_t leader);
  /// Ends everything that has our token: what left the group, when the attempt was stopped.
  void end_processes(Duration grace) const;

 private:
  friend class RunDirectory;
  Mark(std::shared_ptr<WorkerMark> worker, WorkerMark::Line line, ScratchDirectory scratch);
  [[nodiscard]] Status write() const;

  std::shared_ptr<WorkerMark> worker_;
  std::size_t place_;
  MarkLine line_;
  ScratchDirectory scratch_;
};

/// Where the attempts of this process have their marks. Threads: any.
class RunDirectory {
 public:
  /// Touches nothing before the first mark is made.
  explicit RunDirectory(std::filesystem::path path, bool trust_owner = false)
      : path_(std::move(path)), trust_owner_(trust_owner) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool trust_owner() const { return trust_owner_; }

  /// `name` is "<task>-<attempt>", perhaps with more behind; its scratch directory is made unique
  /// where that is taken.
  [[nodiscard]] Result<Mark> mark(const std::string& name);

 private:
  [[nodiscard]] Result<std::shared_ptr<WorkerMark>> worker(const WorkerMark* lost);

  std::filesystem::path path_;
  bool trust_owner_;
  std::mutex mutex_;
  std::shared_ptr<WorkerMark> worker_;  ///< guarded by mutex_; shared with the marks of attempts
};

/// Ends what earlier attempts of this task have left: those of dead workers, and our own that are
/// fenced. Answers how many processes were ended; `refused` for a directory that others could write
/// to.
[[nodiscard]] Result<int> end_earlier_attempts(const std::filesystem::path& run_directory,
                                               TaskId task, AttemptNumber current, Duration grace,
                                               bool trust_owner = false);

}  // namespace pawl
