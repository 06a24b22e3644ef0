#pragma once

/// Checks whether a server meets the needs of a store and of a worker.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/store/postgres.hpp"
#include "postgres/dialer.hpp"

namespace pawl::postgres {

/// What is between us and the server.
enum class Pooler : std::uint8_t {
  none,
  keeps_sessions,   ///< a connection has its own session
  shares_sessions,  ///< each transaction or statement may run in another session
};

/// What the server reports about itself.
struct ServerState {
  bool is_standby = false;
  bool is_read_only = false;
  bool has_schema = false;
  bool may_make_schema = false;
  bool may_use_schema = false;
  std::string table_without_rights;  ///< the first whose rows may not be read and written
  Duration clock_ahead = {};         ///< the server's clock relative to this machine's
};

struct Examined {
  int version = 0;  ///< in the numbering of libpq: 150004
  std::string encoding;
  Pooler pooler = Pooler::none;
  std::optional<ServerState> state = {};  ///< none: a pooler prevented the query
};

/// The findings of an examination in words. Pure.
[[nodiscard]] std::vector<PostgresFinding> findings_of(const Examined& examined,
                                                       const Address& address);

/// Queries the server. If there may be a pooler, a second connection is used to find it.
[[nodiscard]] Examined examine(Dialer& dialer, Connection& connection);

/// Throws `refused`, with all faults at once, if the server cannot hold a store: it is too old, its
/// encoding cannot store every text, or a pooler shares sessions.
void refuse_unfit(Dialer& dialer, Connection& connection);

}  // namespace pawl::postgres
