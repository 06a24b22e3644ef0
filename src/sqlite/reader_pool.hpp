#pragma once

/// A few connections for reading, so that reads wait neither for the writer nor for each other.
/// Threads: any.

#include <array>
#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>

#include "sqlite/db.hpp"

namespace pawl::sqlite {

class ReaderPool {
 public:
  ReaderPool(std::filesystem::path database, files::LockPatience patience,
             Connection::Mode mode = Connection::Mode::read_only);

  /// A connection for one user until this object ends.
  class Lease {
   public:
    Lease(std::unique_lock<std::mutex> lock, Connection& connection)
        : lock_(std::move(lock)), connection_(&connection) {}
    Connection& operator*() const { return *connection_; }
    Connection* operator->() const { return connection_; }

   private:
    std::unique_lock<std::mutex> lock_;
    Connection* connection_;
  };

  [[nodiscard]] Lease borrow();

  /// Changes after every commit of any process. Uses its own connection, because each connection
  /// counts separately.
  [[nodiscard]] std::int64_t data_version();

 private:
  struct Reader {
    std::mutex mutex;
    std::unique_ptr<Connection> connection;  ///< guarded by mutex; opened on first use
  };
  Connection& opened(Reader& reader) const;

  std::filesystem::path path_;
  files::LockPatience patience_;
  Connection::Mode mode_;
  std::array<Reader, 3> readers_;
  Reader watcher_;
  std::atomic<std::size_t> turn_ = 0;
};

}  // namespace pawl::sqlite
