#pragma once

/// Directories whose names survive a power cut: a name is on disk once its parent directory has
/// been synced.

#include <filesystem>
#include <mutex>
#include <set>

namespace pawl::sqlite {

/// Makes the names in a directory durable. Throws a `Fault`.
void sync_directory(const std::filesystem::path& path);

/// Call it before a new database is created: the directory of the database may be new as well.
void sync_name_of_directory(const std::filesystem::path& database);

/// Creates directories. Threads: any.
class Directories {
 public:
  /// Ensures that the directory exists and its name is durable. An existing directory may have been
  /// created by a process that was killed or has not synced it yet, so each one is synced the first
  /// time. Throws a `Fault`.
  void make(const std::filesystem::path& path);

 private:
  std::mutex mutex_;
  std::set<std::filesystem::path> safe_;  ///< guarded by mutex_
};

}  // namespace pawl::sqlite
