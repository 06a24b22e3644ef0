#pragma once

/// Payloads as content-addressed files: `<database>.blobs/ab/cdef…`, named by their SHA-256.
///
/// A payload is durable when `keep` returns: it is written under a temporary name, synced and
/// renamed, and the directories above it are synced. Only then may a row name it. Threads and
/// processes: any number at once.

#include <filesystem>
#include <string>
#include <string_view>

#include "pawl/store/store.hpp"
#include "sqlite/directories.hpp"

namespace pawl::sqlite {

class PayloadFiles {
 public:
  explicit PayloadFiles(const std::filesystem::path& database);

  /// Returns the SHA-256 in hex.
  [[nodiscard]] std::string keep(std::string_view bytes) const;
  /// The same for any number of bytes, which are copied piece by piece.
  [[nodiscard]] Result<KeptFile> keep_stream(const ByteSource& source) const;
  /// Throws `not_found`, `invalid` for a text that is not a SHA-256, `corrupt` if the bytes have
  /// changed.
  [[nodiscard]] std::string read(std::string_view sha256) const;

  /// See `Records::payload_range`. Throws as `read`, but does not check the digest.
  [[nodiscard]] std::string range_of(std::string_view sha256, std::int64_t from,
                                     std::size_t bytes_max) const;

  /// The path of the file, which is read-only. Throws `not_found`, or `invalid` for a text that is
  /// not a SHA-256.
  [[nodiscard]] std::filesystem::path find(std::string_view sha256) const;

 private:
  [[nodiscard]] std::filesystem::path path_of(std::string_view sha256) const;
  std::filesystem::path folder_;
  mutable Directories directories_;
};

}  // namespace pawl::sqlite
