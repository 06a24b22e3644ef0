#include "sqlite/writer.hpp"

#include <string>

#include "sqlite/faults.hpp"
#include "sqlite/preflight.hpp"
#include "sqlite/schema.hpp"

namespace pawl::sqlite {

namespace {

bool is_wal(Connection& connection) {
  Statement statement(connection.raw(), "PRAGMA journal_mode");
  Cursor row = statement.query();
  return row.next() && row.view(0) == "wal";
}

void switch_to_wal(Connection& connection, Turnstile& turnstile,
                   const std::filesystem::path& path) {
  if (is_wal(connection)) return;
  const Turnstile::Turn turn = turnstile.enter();
  connection.run("PRAGMA journal_mode = WAL");
  if (!is_wal(connection)) {
    throw Fault(ErrorCode::refused,
                "'" + path.string() + "' cannot be used by several processes here",
                "use a local disk");
  }
}

}  // namespace

Writer::Writer(SqliteOptions options) : options_(std::move(options)) {
  if (options_.read_only) {
    Connection connection(options_.path, Connection::Mode::look, patience_of(options_));
    const std::int64_t version = checked_version(connection, options_.path);
    if (version == schema_version()) return;
    throw Fault(ErrorCode::refused,
                "'" + options_.path.string() + "' has schema " + std::to_string(version) +
                    "; this program needs " + std::to_string(schema_version()),
                "let a user who may write it open it once");
  }
  const auto mode = options_.create ? Connection::Mode::create : Connection::Mode::read_write;
  auto connection = std::make_unique<Connection>(options_.path, mode, patience_of(options_));
  // Before anything is written, check that the database is ours and that we may write it.
  (void)checked_version(*connection, options_.path);
  if (connection->is_read_only()) {
    throw Fault(ErrorCode::refused, "'" + options_.path.string() + "' is read-only",
                "allow this user to write it, or name another file");
  }
  turnstile_.emplace(options_.path, patience_of(options_));
  switch_to_wal(*connection, *turnstile_, options_.path);
  configure(*connection);
  bring_up_to_date(*connection, *turnstile_, options_.path, options_.migrate);
  connection_ = std::move(connection);
}

void Writer::configure(Connection& connection) const {
  const bool is_full = options_.durability == SqliteOptions::Durability::full;
  connection.run(std::string("PRAGMA synchronous = ") + (is_full ? "FULL" : "NORMAL"));
  connection.run(
      "PRAGMA temp_store = MEMORY;"
      "PRAGMA cache_size = -16384;"
      // Debian's SQLite overwrites deleted content with zeros. The store keeps no secrets, so it
      // need not.
      "PRAGMA secure_delete = OFF;"
      // 16 MiB between checkpoints: pages that are rewritten often reach the file once.
      "PRAGMA wal_autocheckpoint = 4000;"
      "PRAGMA journal_size_limit = 67108864");
  if (options_.bytes_max > 0) {
    const std::int64_t page_size = connection.integer("PRAGMA page_size");
    connection.run("PRAGMA max_page_count = " + std::to_string(options_.bytes_max / page_size));
  }
}

void Writer::open() {
  auto connection = std::make_unique<Connection>(options_.path, Connection::Mode::read_write,
                                                 patience_of(options_));
  configure(*connection);
  connection_ = std::move(connection);
}

/// The failed commit may be complete in the log, where a later recovery would find it. Another
/// commit removes the doubt: it either builds on the failed one or overwrites it. Only then the
/// answer is read.
void Writer::resolve_doubt(const CommitUnknown& failed, const std::function<bool()>& was_applied) {
  cache_.forget();
  Error error = error_of(failed.error, options_.path);
  try {
    connection_.reset();
    open();
    Transaction transaction(*connection_, Transaction::Kind::write);
    connection_->run("UPDATE counters SET value = value + 1 WHERE name = 'reopened'");
    transaction.commit();
    const bool is_written = was_applied && was_applied();
    if (was_applied)
      error.message += is_written ? "; the batch was written" : "; nothing was written";
  } catch (const DbError&) {
    // The next write opens the connection again, and its commit removes the doubt too.
    connection_.reset();
    error.message += "; whether the batch was written will be known when the disk works again";
  }
  throw Fault(std::move(error));
}

}  // namespace pawl::sqlite
