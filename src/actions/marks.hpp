#pragma once

/// Marks record on this machine which processes belong to attempts, so that they can be ended after
/// a crash.
///
///   run/<worker>.mark                  the mark of a worker: its token, a line for each attempt
///   run/<worker>/<task>-<attempt>/     the scratch directory of an attempt
///
/// A worker creates its mark before its first process starts and holds a lock on it for as long as
/// it lives, so no process has to guess from process numbers whether the worker is dead. Its random
/// token, followed by the number of the attempt, is in the environment (PAWL_RUN) of each process
/// and of everything that the process starts. Each attempt writes its line before its process
/// starts, and adds the process group after that.
///
/// Only this user has access to these files, and a run directory that others could write to is
/// refused.

#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "actions/mark_file.hpp"
#include "actions/scratch.hpp"
#include "files/descriptor.hpp"
#include "pawl/core/ids.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl::actions {

/// The mark of this worker, with the directory of its scratch directories. Both are removed with
/// this object. Threads: any.
class WorkerMark {
 public:
  [[nodiscard]] static Result<std::shared_ptr<WorkerMark>> make(
      const std::filesystem::path& run_directory, bool trust_owner);
  WorkerMark(const WorkerMark&) = delete;
  WorkerMark& operator=(const WorkerMark&) = delete;
  ~WorkerMark();

  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] const std::filesystem::path& file() const { return path_; }
  /// The directory of its scratch directories.
  [[nodiscard]] std::string folder() const;

  /// A line that no living attempt uses, and a number that was never used.
  struct Line {
    std::size_t place = 0;
    std::int64_t number = 0;
  };
  [[nodiscard]] Line take_line();
  /// Writes the line of an attempt; `unavailable` if the disk is full.
  [[nodiscard]] Status write(std::size_t place, const MarkLine& line);
  void give_back(std::size_t place);

 private:
  WorkerMark(std::filesystem::path path, std::string token, files::Descriptor file);

  std::filesystem::path path_;
  std::string token_;
  pid_t owner_;

  files::Descriptor file_;  ///< locked; each line has one writer

  std::mutex mutex_;
  std::int64_t last_number_ = 0;     ///< guarded by mutex_
  std::size_t lines_ = 1;            ///< guarded by mutex_
  std::vector<std::size_t> unused_;  ///< guarded by mutex_
};

/// The mark of one process that this object owns, with its scratch directory.
class Mark {
 public:
  Mark(Mark&&) noexcept = default;
  Mark& operator=(Mark&&) = delete;
  ~Mark();

  /// The value of PAWL_RUN.
  [[nodiscard]] std::string token() const;
  [[nodiscard]] const ScratchDirectory& scratch() const { return scratch_; }
  /// Adds the leader of the group to the mark.
  void add_leader(pid_t leader);
  /// Ends all processes with our token, for example those that left the group before a stop.
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

/// The directory for the marks of this process. Threads: any.
class RunDirectory {
 public:
  /// Creates nothing before the first mark.
  explicit RunDirectory(std::filesystem::path path, bool trust_owner = false)
      : path_(std::move(path)), trust_owner_(trust_owner) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] bool trust_owner() const { return trust_owner_; }

  /// `name` is "<task>-<attempt>", possibly with a suffix. If it is taken, the scratch directory
  /// gets a unique name.
  [[nodiscard]] Result<Mark> mark(const std::string& name);

 private:
  [[nodiscard]] Result<std::shared_ptr<WorkerMark>> worker(const WorkerMark* lost);

  std::filesystem::path path_;
  bool trust_owner_;
  std::mutex mutex_;
  std::shared_ptr<WorkerMark> worker_;  ///< guarded by mutex_; shared with the marks of attempts
};

/// Ends the processes that earlier attempts of this task have left: those of dead workers, and our
/// own attempts that are fenced. Returns how many processes were ended; `refused` if others could
/// write to the directory.
[[nodiscard]] Result<int> end_earlier_attempts(const std::filesystem::path& run_directory,
                                               TaskId task, AttemptNumber current, Duration grace,
                                               bool trust_owner = false);

}  // namespace pawl::actions
