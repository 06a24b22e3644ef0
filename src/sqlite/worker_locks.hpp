#pragma once

/// The liveness of the workers on this machine. Each worker holds the lock of its own file,
/// `<database>.workers/<id>.lock`, for as long as its store is open. A process that can take this
/// lock knows that the worker is dead, without waiting for its lease.
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

  /// Takes the lock of a worker of this store. Call it before the worker's row is committed, so
  /// that no process sees the row without the lock.
  void hold(WorkerId worker);
  /// Releases the lock and removes the file.
  void release(WorkerId worker);
  /// Whether the worker's process is known to be dead. False also if that is unknown.
  [[nodiscard]] bool is_dead(WorkerId worker) const;
  /// Removes the file of a dead worker.
  void remove(WorkerId worker) const;

  [[nodiscard]] std::filesystem::path path_of(WorkerId worker) const;

 private:
  std::filesystem::path folder_;
  Directories directories_;
  mutable std::mutex mutex_;
  std::map<WorkerId, LockFile> held_;  ///< guarded by mutex_
};

}  // namespace pawl::sqlite
