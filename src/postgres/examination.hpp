#pragma once

/// Whether a server is as a store, or a worker, needs it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pawl/store/postgres.hpp"
#include "postgres/dialer.hpp"

namespace pawl::postgres {

/// Who stands between us and the server.
enum class Pooler : std::uint8_t {
  none,
  keeps_sessions,   ///< a connection has its session for itself
  shares_sessions,  ///< each transaction or statement may be in another session
};

/// What the server says when it is asked.
struct ServerState {
  bool is_standby = false;
  bool is_read_only = false;
  bool has_schema = false;
  bool may_make_schema = false;
  bool may_use_schema = false;
  std::string table_without_rights;  ///< the first whose rows may not be read and written
  Duration clock_ahead = {};         ///< the server's clock, of this machine's
};

struct Examined {
  int version = 0;  ///< as libpq counts: 150004
  std::string encoding;
  Pooler pooler = Pooler::none;
  std::optional<ServerState> state = {};  ///< none: a pooler kept us from asking
};

/// What the findings of an examination are, in words. Pure.
[[nodiscard]] std::vector<PostgresFinding> findings_of(const Examined& examined,
                                                       const Address& address);

/// Asks the server. A pooler is looked for with a second connection, where there may be one.
[[nodiscard]] Examined examine(Dialer& dialer, Connection& connection);

/// Throws `refused`, naming every fault at once, where no store can be: a server that is too old,
/// an encoding that cannot keep every text, a pooler that shares sessions.
void refuse_unfit(Dialer& dialer, Connection& connection);

}  // namespace pawl::postgres
