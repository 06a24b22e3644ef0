#pragma once

/// What the shared reads need of the store they belong to. Threads: any.

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

/// The way to a session for reading.
class ReadDoor {
 public:
  /// Runs `body` under one snapshot, at most once. What the adapter throws, and a `Fault`, becomes
  /// the error; nothing: all went well.
  [[nodiscard]] virtual std::optional<Error> read(const std::function<void(Session&)>& body) = 0;
  /// What the database's own check finds, where it has one; see `Records::damage`.
  [[nodiscard]] virtual Result<std::vector<std::string>> damage(bool /*thorough*/) {
    return std::vector<std::string>();
  }

 protected:
  ~ReadDoor() = default;
};

/// Where the payloads are. `not_found`, `invalid` for what is no SHA-256, `corrupt` when the bytes
/// have changed.
class Payloads {
 public:
  [[nodiscard]] virtual Result<std::string> read(std::string_view sha256) = 0;
  /// The bytes piece by piece.
  using Take = std::function<Status(std::string_view piece)>;
  [[nodiscard]] virtual Status each_piece(std::string_view sha256, const Take& take) = 0;
  /// Without reading the bytes.
  [[nodiscard]] virtual Result<std::int64_t> size_of(std::string_view sha256) = 0;
  /// Absolute, and read-only.
  [[nodiscard]] virtual Result<std::filesystem::path> path_of(std::string_view sha256) = 0;

 protected:
  ~Payloads() = default;
};

}  // namespace pawl::sql
