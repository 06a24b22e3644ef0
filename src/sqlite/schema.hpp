#pragma once

/// The schema and its history. Migrations are numbered and only go forward.

#include <cstdint>
#include <filesystem>
#include <span>

#include "sqlite/db.hpp"
#include "sqlite/turnstile.hpp"

namespace pawl::sqlite {

/// "pawl" in the header of the file distinguishes our databases from those of other programs.
inline constexpr std::int64_t application_id = 0x7061776C;

/// One step of the schema. The name says what it adds; its place is its number.
struct Migration {
  const char* name;
  const char* sql;
};
[[nodiscard]] std::span<const Migration> migrations();
[[nodiscard]] inline std::int64_t schema_version() {
  return static_cast<std::int64_t>(migrations().size());
}

/// Throws `refused` if the database belongs to another program or a newer pawl. Changes nothing.
/// Returns its version; 0: a new file.
[[nodiscard]] std::int64_t checked_version(Connection& connection,
                                           const std::filesystem::path& path,
                                           std::int64_t newest = schema_version());

/// Brings the schema up to date in one transaction; safe if several processes open the store at
/// once. Without `allowed`, an older schema is refused; a new file is not an older schema.
void bring_up_to_date(Connection& connection, Turnstile& turnstile,
                      const std::filesystem::path& path, bool allowed,
                      std::span<const Migration> steps = migrations());

}  // namespace pawl::sqlite
