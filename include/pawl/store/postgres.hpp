#pragma once

/// The store in a PostgreSQL database (15 or newer). Many processes on many machines share the
/// work.
///
/// PostgreSQL is the only distributed part; the machines do not talk to each other. The row of a
/// job is its lock: changes within a job are made one after another, and different jobs proceed in
/// parallel. Leases, deadlines and retries use the server's clock, so the machines need not agree
/// on the time.
///
/// Acknowledged commits are as durable as the server makes them (`synchronous_commit`). If a
/// connection breaks, the store reconnects by itself. If the reply to a commit was lost, the store
/// looks it up in the database instead of guessing: the commit is neither lost nor applied twice.
///
/// Payloads are kept in the database too, in chunks, so no shared directory is needed.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pawl/core/result.hpp"
#include "pawl/store/clock.hpp"

namespace pawl {

class Store;

struct PostgresOptions {
  /// `postgres://user@host:port/database?schema=pawl&…`. All parameters of libpq are allowed
  /// (sslmode, several hosts, target_session_attrs, …). `schema` holds the tables; default: `pawl`.
  /// Keep the password in ~/.pgpass or PGPASSWORD rather than here.
  std::string url;
  bool migrate = true;  ///< migrates an older schema; otherwise it is refused
  bool create = true;   ///< creates the schema if there is none; otherwise `not_found`
  /// How long to wait for one reply of the server before the connection counts as lost.
  Duration answer_within = std::chrono::seconds(30);
  /// How often the log is polled if no notification arrives: the safety net.
  Duration look_every = std::chrono::seconds(5);
};

/// Whether an address names a PostgreSQL store.
[[nodiscard]] bool is_postgres_url(std::string_view address);

/// Opens the store with the server's clock.
///
/// `unavailable`: cannot connect, for whatever reason; the message contains the server's text.
/// `refused`: missing rights, a server older than 15, an encoding that cannot hold every text, a
/// pooler that shares sessions, a schema of another program or of a newer pawl, an older schema
/// without `migrate`. `invalid`: not an address. In each of these cases nothing is changed.
///
/// Once the store is open, every problem that can be fixed on the server is `unavailable`.
[[nodiscard]] Result<std::shared_ptr<Store>> open_postgres_store(const PostgresOptions& options);

/// The same with another clock, for tests. `clock` must outlive the store.
[[nodiscard]] Result<std::shared_ptr<Store>> open_postgres_store(const PostgresOptions& options,
                                                                 const Clock& clock);

/// One requirement of a worker, and whether the server meets it.
struct PostgresFinding {
  enum class Health : std::uint8_t { ok, warning, failed };

  std::string what;  ///< version, encoding, pooler, writes, rights or clock
  Health health = Health::ok;
  std::string text;
  std::string help = {};  ///< what to do; empty if nothing is wrong
};

/// Examines the server without changing anything. A worker cannot run while a finding is `failed`.
/// `unavailable`: cannot connect. `invalid`: not an address.
[[nodiscard]] Result<std::vector<PostgresFinding>> examine_postgres(const PostgresOptions& options);

}  // namespace pawl
