#pragma once

/// Directories whose names outlive a power cut: a name is on disk when the directory it stands in
/// was synced after it was made.

#include <filesystem>
#include <mutex>
#include <set>

namespace pawl::sqlite {

/// Makes the names in a directory safe. Throws a `Fault`.
void sync_directory(const std::filesystem::path& path);

/// Before a new database is made: the directory it will stand in may be new as well.
void sync_name_of_directory(const std::filesystem::path& database);

/// Makes directories. Threads: any.
class Directories {
 public:
  /// The directory is there, and its name is safe. One that was there may have been made by
  /// somebody who was killed, or has not yet synced it, so the first time each is synced here too.
  /// Throws a `Fault`.
  void make(const std::filesystem::path& path);

 private:
  std::mutex mutex_;
  std::set<std::filesystem::path> safe_;  ///< guarded by mutex_
};

}  // namespace pawl::sqlite
