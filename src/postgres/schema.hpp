#pragma once

/// The tables and how they came to be. Migrations are numbered and go forward only.

#include <cstdint>
#include <span>

#include "postgres/connection.hpp"

namespace pawl::postgres {

/// One step of the schema. The name says what it brings; the number is its place.
struct Migration {
  const char* name;
  const char* sql;
};
[[nodiscard]] std::span<const Migration> migrations();

/// Brings the schema of the connection's address up to date, in one transaction that any number of
/// processes may try at once. Throws `refused` for a schema of another program or of a newer pawl,
/// and for an older one when `allowed` is false; `not_found` for none when `create` is false.
void bring_up_to_date(Connection& connection, bool create, bool allowed,
                      std::span<const Migration> steps = migrations());

}  // namespace pawl::postgres
