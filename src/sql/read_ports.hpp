#pragma once

/// What the shared reads need from their store. Threads: any.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/result.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// Provides a session for reading.
class ReadDoor {
 public:
  /// Runs `body` under one snapshot. It may run more than once, if what it read may be torn, and
  /// must start afresh each time. Returns what the adapter throws, or a `Fault`, as an error; empty
  /// on success.
  [[nodiscard]] virtual std::optional<Error> read(const std::function<void(Session&)>& body) = 0;
  /// What the database's own check finds, if it has one; see `Records::damage`.
  [[nodiscard]] virtual Result<std::vector<std::string>> damage(bool /*thorough*/) {
    return std::vector<std::string>();
  }

 protected:
  ~ReadDoor() = default;
};

/// The payloads. Errors: `not_found`, `invalid` for a text that is not a SHA-256, `corrupt` if the
/// bytes have changed.
class Payloads {
 public:
  [[nodiscard]] virtual Result<std::string> read(std::string_view sha256) = 0;
  /// Passes the bytes on piece by piece.
  using Take = std::function<Status(std::string_view piece)>;
  [[nodiscard]] virtual Status each_piece(std::string_view sha256, const Take& take) = 0;
  /// Does not read the bytes.
  [[nodiscard]] virtual Result<std::int64_t> size_of(std::string_view sha256) = 0;
  /// See `Records::payload_range`.
  [[nodiscard]] virtual Result<std::string> range_of(std::string_view sha256, std::int64_t from,
                                                     std::size_t bytes_max) = 0;
  /// An absolute path; the file is read-only.
  [[nodiscard]] virtual Result<std::filesystem::path> path_of(std::string_view sha256) = 0;

 protected:
  ~Payloads() = default;
};

}  // namespace pawl::sql
