#pragma once

/// Where exceptions end: an error of PostgreSQL becomes an `Error` that names the server and says
/// what to do. The address is shown without its password.
///
/// Only the SQLSTATE decides which error it is. The text comes from the server, in its language,
/// and is only passed on.

#include <type_traits>

#include "pawl/core/result.hpp"
#include "postgres/connection.hpp"
#include "sql/fault.hpp"

namespace pawl::postgres {

using sql::Fault;

/// For an open store. Everything that can be fixed on the server is `unavailable`, including
/// missing rights and broken connections of every kind: a result that waits to be written is kept
/// and retried. `invalid` and `refused` are only about the values of this statement, `corrupt` only
/// about the content of the tables.
[[nodiscard]] Error error_of(const DbError& error, const Address& address);

/// For a store that is being opened, when nothing can be lost yet: missing rights, an incomplete
/// schema and a pooler that shares sessions get their own codes. No connection at all is
/// `unavailable`, whatever the reason, because libpq does not report its SQLSTATE.
[[nodiscard]] Error opening_error_of(const DbError& error, const Address& address);

/// Runs `body`, which returns a Result, and turns exceptions into errors.
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
