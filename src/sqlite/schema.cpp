#include "sqlite/schema.hpp"

#include <optional>
#include <string>

#include "sqlite/faults.hpp"

namespace pawl::sqlite {

std::int64_t checked_version(Connection& connection, const std::filesystem::path& path,
                             std::int64_t newest) {
  // Read all three values in one snapshot: another process may be creating the schema now.
  std::optional<Transaction> snapshot;
  if (!connection.in_transaction()) snapshot.emplace(connection, Transaction::Kind::read);
  const std::int64_t id = connection.integer("PRAGMA application_id");
  const std::int64_t version = connection.integer("PRAGMA user_version");
  const bool is_fresh =
      id == 0 && version == 0 && connection.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (is_fresh) return 0;
  if (id != application_id) {
    throw Fault(ErrorCode::refused, "'" + path.string() + "' belongs to another program",
                "name another file; nothing was changed");
  }
  if (version > newest) {
    throw Fault(ErrorCode::refused,
                "this database was written by a newer pawl (schema " + std::to_string(version) +
                    ", this program knows " + std::to_string(newest) + ")",
                "use the newer pawl, or name another file than '" + path.string() + "'");
  }
  return version;
}

void bring_up_to_date(Connection& connection, Turnstile& turnstile,
                      const std::filesystem::path& path, bool allowed,
                      std::span<const Migration> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  if (checked_version(connection, path, newest) == newest) return;
  const Turnstile::Turn turn = turnstile.enter();
  Transaction transaction(connection, Transaction::Kind::write);
  // Another process may have done it while we waited.
  const std::int64_t from = checked_version(connection, path, newest);
  if (from == newest) return;
  if (!allowed && from > 0) {
    throw Fault(ErrorCode::refused,
                "'" + path.string() + "' has schema " + std::to_string(from) +
                    "; this program needs " + std::to_string(newest),
                "allow the migration, after a backup");
  }
  for (const Migration& migration : steps.subspan(static_cast<std::size_t>(from))) {
    connection.run(migration.sql);
  }
  connection.run("PRAGMA application_id = " + std::to_string(application_id) +
                 "; PRAGMA user_version = " + std::to_string(newest));
  transaction.commit();
}

}  // namespace pawl::sqlite
