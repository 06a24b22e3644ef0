#pragma once

/// The life signs of the workers on this machine: each holds the lock of a file of its own,
/// `<database>.workers/<id>.lock`, for as long as its store is open. Whoever can take that lock
/// knows that the worker is dead, without waiting for its lease.
///
/// Threads: any.

#include <filesystem>
#include <map>
#include <mutex>

#include "pawl/core/ids.hpp"
#include "sqlite/directories.hpp"
#include "sqlite/lock_file.hpp"

namespace pawl::sqlite {

class WorkerLocks {
 public:
  explicit WorkerLocks(const std::filesystem::path& database);

  /// Takes the lock of a worker of this store. Before its row is committed: nobody shall see the
  /// row and find no lock.
  void hold(WorkerId worker);
  /// Lets go and removes the file.
  void release(WorkerId worker);
  /// The worker's process is known to have died. False also where nobody knows.
  [[nodiscard]] bool is_dead(WorkerId worker) const;
  /// Removes what a dead worker left.
  void remove(WorkerId worker) const;

  [[nodiscard]] std::filesystem::path path_of(WorkerId worker) const;

 private:
  std::filesystem::path folder_;
  Directories directories_;
  mutable std::mutex mutex_;
  std::map<WorkerId, LockFile> held_;  ///< guarded by mutex_
};

}  // namespace pawl::sqlite
