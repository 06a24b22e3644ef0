#pragma once

/// A file with a lock that the kernel releases when its holder dies, however it dies.

#include <filesystem>

#include "files/descriptor.hpp"
#include "files/file_lock.hpp"

namespace pawl::sqlite {

class LockFile {
 public:
  /// Opens the file, and creates it if it is missing.
  explicit LockFile(std::filesystem::path path);

  /// Waits for the lock and returns how the wait ended.
  [[nodiscard]] files::LockWait lock(const files::LockPatience& patience);
  [[nodiscard]] bool try_lock();
  void unlock() noexcept;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  files::Descriptor descriptor_;
};

/// Whether the lock of this file is held; a missing file has no holder.
enum class Holder : unsigned char { unknown, alive, dead };
[[nodiscard]] Holder holder_of(const std::filesystem::path& path);

}  // namespace pawl::sqlite
