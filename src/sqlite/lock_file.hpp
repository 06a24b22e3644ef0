#pragma once

/// A file whose lock the kernel lets go of when its holder dies, however it dies.

#include <filesystem>

#include "sqlite/file.hpp"

namespace pawl::sqlite {

class LockFile {
 public:
  /// Opens the file, and makes it where it is missing.
  explicit LockFile(std::filesystem::path path);

  /// Waits for the lock.
  void lock();
  [[nodiscard]] bool try_lock();
  void unlock() noexcept;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

/// Whether somebody holds the lock of this file; a file that is not there has no holder.
enum class Holder : unsigned char { unknown, alive, dead };
[[nodiscard]] Holder holder_of(const std::filesystem::path& path);

}  // namespace pawl::sqlite
