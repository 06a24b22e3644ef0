#include "postgres/schema.hpp"

#include <string>

#include "postgres/faults.hpp"

namespace pawl::postgres {

namespace {

constexpr char select_place[] =
    "SELECT to_regnamespace(quote_ident($1)) IS NOT NULL, "
    "to_regclass(quote_ident($1) || '.counters') IS NOT NULL, "
    "EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
    "WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v'))";
constexpr char select_version[] = "SELECT value FROM counters WHERE name = 'schema'";

struct Found {
  bool has_schema = false;
  std::int64_t version = 0;  ///< 0: no tables yet
};

Found look(Connection& connection, std::int64_t newest) {
  const Address& address = connection.settings().address;
  const Reply place = connection.ask(select_place, Parameters::of(address.schema));
  Found found{.has_schema = place.integer(0, 0) != 0};
  if (place.integer(0, 1) == 0) {
    if (place.integer(0, 2) != 0) {
      throw Fault(ErrorCode::refused,
                  "the schema \"" + address.schema + "\" at " + address.shown +
                      " has tables of another program",
                  "name another schema with ?schema=NAME; nothing was changed");
    }
    return found;
  }
  const Reply version = connection.ask(select_version);
  if (version.rows() == 0) {
    throw Fault(
        ErrorCode::refused,
        "the schema \"" + address.schema + "\" at " + address.shown + " belongs to another program",
        "name another schema with ?schema=NAME; nothing was changed");
  }
  found.version = version.integer(0, 0);
  if (found.version > newest) {
    throw Fault(ErrorCode::refused,
                "this database was written by a newer pawl (schema " +
                    std::to_string(found.version) + ", this program knows " +
                    std::to_string(newest) + ")",
                "use the newer pawl, or name another schema with ?schema=NAME");
  }
  return found;
}

}  // namespace

void bring_up_to_date(Connection& connection, bool create, bool allowed,
                      std::span<const Migration> steps) {
  const Address& address = connection.settings().address;
  const auto newest = static_cast<std::int64_t>(steps.size());
  if (look(connection, newest).version == newest) return;
  static constexpr char begin[] = "BEGIN";
  // One process at a time: the second finds the work done.
  static constexpr char queue[] =
      "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('pawl schema ' || $1, 0)) AS held";
  static constexpr char commit[] = "COMMIT";
  connection.begin(begin);
  (void)connection.ask(queue, Parameters::of(address.schema));
  const Found found = look(connection, newest);
  if (found.version == newest) {
    connection.roll_back();
    return;
  }
  if (found.version == 0 && !create) {
    connection.roll_back();
    throw Fault(ErrorCode::not_found,
                "no store in the schema \"" + address.schema + "\" at " + address.shown,
                "create it with: pawl run FILE");
  }
  if (!allowed && found.version > 0) {
    connection.roll_back();
    throw Fault(ErrorCode::refused,
                "the schema \"" + address.schema + "\" has version " +
                    std::to_string(found.version) + "; this program needs " +
                    std::to_string(newest),
                "allow the migration, after a backup");
  }
  if (!found.has_schema) connection.run("CREATE SCHEMA " + quoted_name(address.schema));
  for (const Migration& migration : steps.subspan(static_cast<std::size_t>(found.version))) {
    connection.run(migration.sql);
  }
  connection.run("UPDATE counters SET value = " + std::to_string(newest) +
                 " WHERE name = 'schema'");
  connection.post(commit);
  connection.await_posted();
}

}  // namespace pawl::postgres
