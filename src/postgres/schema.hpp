#pragma once

/// The schema and its history. Migrations are numbered and only go forward.

#include <cstdint>
#include <span>

#include "postgres/connection.hpp"

namespace pawl::postgres {

/// One step of the schema. The name says what it adds; its place is its number.
struct Migration {
  const char* name;
  const char* sql;
};
[[nodiscard]] std::span<const Migration> migrations();

/// Brings the schema of the connection's address up to date, in one transaction that any number of
/// processes may try at once. Throws `refused` if the schema belongs to another program or a newer
/// pawl, or is older and `allowed` is false; `not_found` if there is none and `create` is false.
void bring_up_to_date(Connection& connection, bool create, bool allowed,
                      std::span<const Migration> steps = migrations());

}  // namespace pawl::postgres
