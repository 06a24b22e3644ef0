#pragma once

/// Where a PostgreSQL store is: `postgres://user@host:port/database?schema=name&…`.
///
/// Everything libpq knows may stand in the address (sslmode, sslrootcert, connect_timeout,
/// target_session_attrs, several hosts, …) and is passed on. `schema` is ours: the schema that has
/// the tables, `pawl` unless given.

#include <string>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl::postgres {

struct Address {
  std::string conninfo;  ///< for libpq; may hold a password, so it is never shown
  std::string schema = "pawl";
  std::string shown;  ///< host, port and database, for messages
};

/// `invalid` names what libpq does not understand.
[[nodiscard]] Result<Address> read_address(std::string_view url);

/// As an identifier in a statement.
[[nodiscard]] std::string quoted_name(std::string_view name);

}  // namespace pawl::postgres
