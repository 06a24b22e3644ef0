#include "sqlite/reader_pool.hpp"

#include "sqlite/faults.hpp"

namespace pawl::sqlite {

ReaderPool::ReaderPool(std::filesystem::path database, files::LockPatience patience,
                       Connection::Mode mode)
    : path_(std::move(database)), patience_(std::move(patience)), mode_(mode) {}

Connection& ReaderPool::opened(Reader& reader) const {
  if (reader.connection == nullptr || reader.connection->is_outdated()) {
    reader.connection.reset();
    auto connection = std::make_unique<Connection>(path_, mode_, patience_);
    connection->run(
        "PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -8192");
    reader.connection = std::move(connection);
    ++reader.openings;
  }
  return *reader.connection;
}

ReaderPool::Lease ReaderPool::borrow() {
  for (Reader& reader : readers_) {
    std::unique_lock lock(reader.mutex, std::try_to_lock);
    if (lock.owns_lock()) {
      Connection& connection = opened(reader);
      return {std::move(lock), connection};
    }
  }
  Reader& reader = readers_[turn_++ % readers_.size()];
  std::unique_lock lock(reader.mutex);
  Connection& connection = opened(reader);
  return {std::move(lock), connection};
}

std::int64_t ReaderPool::data_version() {
  const std::lock_guard lock(watcher_.mutex);
  Cursor row = opened(watcher_).prepared("PRAGMA data_version").query();
  // Each connection counts from where it likes, so another connection is a change as well.
  constexpr std::int64_t version_bits = 24;
  constexpr std::int64_t version_max = (std::int64_t{1} << version_bits) - 1;
  const std::int64_t version = row.next() ? row.integer(0) & version_max : 0;
  return (watcher_.openings << version_bits) + version;
}

void ReaderPool::throw_busy() const {
  throw Fault(ErrorCode::unavailable,
              "'" + path_.string() + "' changed again and again while it was read",
              "try again, or let this user write the directory of the file");
}

}  // namespace pawl::sqlite
