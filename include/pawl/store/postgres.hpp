#pragma once

/// The store in a PostgreSQL database (15 or newer): many processes on many machines share the
/// work.
///
/// PostgreSQL is the distributed part; nothing else stands between the machines. A job's row is its
/// lock: changes within a job are made one after the other, by whoever has the turn, jobs go on
/// beside each other. Leases, deadlines and retries are on the server's clock, so the machines need
/// not agree on the time.
///
/// What was acknowledged is as durable as the server makes it (`synchronous_commit`). When a
/// connection breaks, the store connects again by itself. A commit whose answer was lost is looked
/// up in the database, not guessed: it is neither lost nor made twice.
///
/// Payloads are kept in the database too, in pieces, so no directory has to be shared.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pawl/core/result.hpp"
#include "pawl/store/clock.hpp"

namespace pawl {

class Store;

struct PostgresOptions {
  /// `postgres://user@host:port/database?schema=pawl&…`. Whatever libpq understands may stand
  /// there (sslmode, several hosts, target_session_attrs, …); `schema` has the tables, `pawl`
  /// unless given. A password is better kept in ~/.pgpass or PGPASSWORD.
  std::string url;
  bool migrate = true;  ///< brings an older schema up to date; otherwise it is refused
  bool create = true;   ///< makes the schema where there is none; otherwise `not_found`
  /// How long the server may take for one answer before it is taken for lost.
  Duration answer_within = std::chrono::seconds(30);
  /// How often the log is looked at where no notification comes: the safety net.
  Duration look_every = std::chrono::seconds(5);
};

/// Whether an address names a PostgreSQL store.
[[nodiscard]] bool is_postgres_url(std::string_view address);

/// Opens the store, on the server's clock.
///
/// `unavailable`: no connection can be made, whatever the reason; the message has the server's
/// words. `refused`: missing rights, a server older than 15, an encoding that cannot keep every
/// text, a pooler that shares sessions, a schema of another program or of a newer pawl, an older
/// one without `migrate`. `invalid`: no address. In each of these cases nothing is changed.
///
/// Once it is open, everything that may be mended on the server is `unavailable`.
[[nodiscard]] Result<std::shared_ptr<Store>> open_postgres_store(const PostgresOptions& options);

/// The same on another clock, for tests. `clock` must outlive it.
[[nodiscard]] Result<std::shared_ptr<Store>> open_postgres_store(const PostgresOptions& options,
                                                                 const Clock& clock);

/// One thing that a worker needs of a server, and how it is there.
struct PostgresFinding {
  enum class Health : std::uint8_t { ok, warning, failed };

  std::string what;  ///< version, encoding, pooler, writes, rights or clock
  Health health = Health::ok;
  std::string text;
  std::string help = {};  ///< the way out; empty where nothing is wrong
};

/// Looks at the server, and changes nothing. Findings that failed keep a worker from its work.
/// `unavailable`: no connection can be made. `invalid`: no address.
[[nodiscard]] Result<std::vector<PostgresFinding>> examine_postgres(const PostgresOptions& options);

}  // namespace pawl
