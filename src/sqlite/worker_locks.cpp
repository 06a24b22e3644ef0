#include "sqlite/worker_locks.hpp"

#include <string>

#include "sqlite/directories.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/paths.hpp"

namespace pawl::sqlite {

WorkerLocks::WorkerLocks(const std::filesystem::path& database)
    : folder_(beside(database, ".workers")) {}

std::filesystem::path WorkerLocks::path_of(WorkerId worker) const {
  return folder_ / (std::to_string(worker.value()) + ".lock");
}

void WorkerLocks::hold(WorkerId worker) {
  directories_.make(folder_);
  LockFile lock(path_of(worker));
  // A crashed worker that is in the store without its lock file would only be noticed after its
  // lease expires.
  sync_directory(folder_);
  // An existing file with this number can only come from a registration that was rolled back.
  if (!lock.try_lock()) {
    const std::string holders = files::lock_holders(lock.path());
    throw Fault(ErrorCode::unavailable,
                "the lock of worker " + std::to_string(worker.value()) + " is taken: '" +
                    lock.path().string() + "' is held by " +
                    (holders.empty() ? "a process that cannot be seen from here" : holders));
  }
  const std::scoped_lock guard(mutex_);
  held_.insert_or_assign(worker, std::move(lock));
}

void WorkerLocks::release(WorkerId worker) {
  const std::scoped_lock guard(mutex_);
  if (held_.erase(worker) > 0) remove(worker);
}

bool WorkerLocks::is_dead(WorkerId worker) const {
  {
    const std::scoped_lock guard(mutex_);
    if (held_.contains(worker)) return false;
  }
  return holder_of(path_of(worker)) == Holder::dead;
}

void WorkerLocks::remove(WorkerId worker) const {
  std::error_code ignored;  // a leftover file is harmless: its number is never used again
  std::filesystem::remove(path_of(worker), ignored);
}

}  // namespace pawl::sqlite
