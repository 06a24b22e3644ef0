#pragma once

/// Where exceptions end: what PostgreSQL says becomes an `Error` that names the server and the way
/// out. The address is shown without its password.

#include <type_traits>

#include "pawl/core/result.hpp"
#include "postgres/connection.hpp"
#include "sql/fault.hpp"

namespace pawl::postgres {

using sql::Fault;

[[nodiscard]] Error error_of(const DbError& error, const Address& address);

/// Runs `body` and turns what it throws into an error. `body` answers a Result.
template <class Body>
auto guarded(const Address& address, Body&& body) -> std::invoke_result_t<Body> {
  try {
    return body();
  } catch (const DbError& error) {
    return std::unexpected(error_of(error, address));
  } catch (const Fault& fault) {
    return std::unexpected(fault.error);
  }
}

}  // namespace pawl::postgres
