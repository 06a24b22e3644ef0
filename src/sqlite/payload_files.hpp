#pragma once

/// Payloads as content-addressed files: `<database>.blobs/ab/cdef…`, named by their SHA-256.
///
/// A payload is durable when `keep` returns: written under a temporary name, synced, renamed, and
/// the directories above it synced. Only then may a row name it. Threads and processes: any number
/// at once.

#include <filesystem>
#include <string>
#include <string_view>

#include "pawl/store/store.hpp"
#include "sqlite/directories.hpp"

namespace pawl::sqlite {

class PayloadFiles {
 public:
  explicit PayloadFiles(const std::filesystem::path& database);

  /// Answers the SHA-256 in hex.
  [[nodiscard]] std::string keep(std::string_view bytes) const;
  /// The same for bytes of any number, which are copied piece by piece.
  [[nodiscard]] Result<KeptFile> keep_stream(const ByteSource& source) const;
  /// Throws `not_found`, `invalid` for what is no SHA-256, `corrupt` when the bytes have changed.
  [[nodiscard]] std::string read(std::string_view sha256) const;

  /// Where the bytes lie; read-only. Throws `not_found`, or `invalid` for what is no SHA-256.
  [[nodiscard]] std::filesystem::path find(std::string_view sha256) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(std::string_view sha256) const;
  std::filesystem::path folder_;
  mutable Directories directories_;
};

}  // namespace pawl::sqlite
