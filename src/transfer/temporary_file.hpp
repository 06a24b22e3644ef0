#pragma once

/// A file for what does not fit into memory. It is gone when the object is.

#include <filesystem>
#include <fstream>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl::transfer {

class TemporaryFile {
 public:
  /// In `folder`; empty: the system's folder for temporary files.
  [[nodiscard]] static Result<TemporaryFile> make(const std::filesystem::path& folder);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// `unavailable` when the disk is full.
  [[nodiscard]] Status append(std::string_view bytes);
  /// Everything that was appended can be read under its path.
  [[nodiscard]] Status flush();

 private:
  explicit TemporaryFile(std::filesystem::path path);

  std::filesystem::path path_;
  std::ofstream out_;
};

}  // namespace pawl::transfer
