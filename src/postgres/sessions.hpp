#pragma once

/// The session settings of the connections of a store.

#include <string>

#include "postgres/connection.hpp"

namespace pawl::postgres {

/// For the connection that writes. Waits for locks are limited, and a client that stops in the
/// middle of a transaction is disconnected: it would block a job for all others. The plans of the
/// array statements are pinned to the indexes, whatever the statistics say.
[[nodiscard]] std::string writer_set_up(const Address& address);

/// For connections that read and listen.
[[nodiscard]] std::string reader_set_up(const Address& address);

}  // namespace pawl::postgres
