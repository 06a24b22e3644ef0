#pragma once

/// The tables and how they came to be. Migrations are numbered and go forward only.

#include <cstdint>
#include <filesystem>
#include <span>

#include "sqlite/db.hpp"
#include "sqlite/turnstile.hpp"

namespace pawl::sqlite {

/// "pawl" in the file's header: tells our databases from those of other programs.
inline constexpr std::int64_t application_id = 0x7061776C;

/// One step of the schema. The name says what it brings; the number is its place.
struct Migration {
  const char* name;
  const char* sql;
};
[[nodiscard]] std::span<const Migration> migrations();
[[nodiscard]] inline std::int64_t schema_version() {
  return static_cast<std::int64_t>(migrations().size());
}

/// Throws `refused` when the database is another program's or a newer pawl's. Changes nothing.
/// Answers the version it has; 0: a fresh file.
[[nodiscard]] std::int64_t checked_version(Connection& connection,
                                           const std::filesystem::path& path,
                                           std::int64_t newest = schema_version());

/// Brings the schema up to date in one transaction, safely when several processes open at once.
/// Without `allowed`, an older schema is refused; a fresh file is not an older schema.
void bring_up_to_date(Connection& connection, Turnstile& turnstile,
                      const std::filesystem::path& path, bool allowed,
                      std::span<const Migration> steps = migrations());

}  // namespace pawl::sqlite
