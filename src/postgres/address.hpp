#pragma once

/// Where a PostgreSQL store is: `postgres://user@host:port/database?schema=name&…`.
///
/// The address may contain every parameter that libpq knows (sslmode, sslrootcert, connect_timeout,
/// target_session_attrs, several hosts, …); they are passed on. `schema` is ours: the schema of the
/// tables, `pawl` by default.

#include <string>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl::postgres {

struct Address {
  std::string conninfo;  ///< for libpq; may contain a password, so it is never shown
  std::string schema = "pawl";
  std::string shown;  ///< host, port and database, for messages
};

/// `invalid` names what libpq cannot parse.
[[nodiscard]] Result<Address> read_address(std::string_view url);

/// The name as an identifier in a statement.
[[nodiscard]] std::string quoted_name(std::string_view name);

}  // namespace pawl::postgres
