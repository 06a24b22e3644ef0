#pragma once

/// Where exceptions end: what PostgreSQL says becomes an `Error` that names the server and the way
/// out. The address is shown without its password.
///
/// Which error it is follows from the SQLSTATE alone. The text is the server's, in its language,
/// and is only passed on.

#include <type_traits>

#include "pawl/core/result.hpp"
#include "postgres/connection.hpp"
#include "sql/fault.hpp"

namespace pawl::postgres {

using sql::Fault;

/// For a store that is open. Whatever may be mended on the server is `unavailable`, missing rights
/// and broken connections of every kind included: a result that waits to be written is kept and
/// tried again. `invalid` and `refused` are said only of what this statement holds, `corrupt` only
/// of what the tables hold.
[[nodiscard]] Error error_of(const DbError& error, const Address& address);

/// For a store that is being opened, when nothing can be lost yet: missing rights, a schema that is
/// not whole and a pooler that shares sessions are said as what they are. No connection at all is
/// `unavailable`, whatever the reason: libpq does not give the SQLSTATE of it.
[[nodiscard]] Error opening_error_of(const DbError& error, const Address& address);

/// Runs `body` and turns what it throws into an error. `body` answers a Result.
template <class Body>
auto guarded(const Address& address, Body&& body,
             Error (*meaning)(const DbError&, const Address&) = error_of)
    -> std::invoke_result_t<Body> {
  try {
    return body();
  } catch (const DbError& error) {
    return std::unexpected(meaning(error, address));
  } catch (const Fault& fault) {
    return std::unexpected(fault.error);
  }
}

}  // namespace pawl::postgres
