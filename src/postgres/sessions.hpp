#pragma once

/// What the connections of a store are set to.

#include <string>

#include "postgres/connection.hpp"

namespace pawl::postgres {

/// For the connection that writes. Locks are not waited for without end, and a client that stops
/// in the middle of a transaction is thrown out: it would keep a job from all others. The plans of
/// the array statements are pinned to the indexes, whatever the tables' statistics say.
[[nodiscard]] std::string writer_set_up(const Address& address);

/// For those that read and listen.
[[nodiscard]] std::string reader_set_up(const Address& address);

}  // namespace pawl::postgres
