#pragma once

/// A few connections for reading, so that reads wait neither for the writer nor for each other.
/// Threads: any.

#include <array>
#include <atomic>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <type_traits>

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

  /// Runs `body` on a connection. Runs it again on another if the file has changed under a user who
  /// may not write it, so `body` must start afresh each time.
  template <class Body>
  std::invoke_result_t<Body, Connection&> read(const Body& body) {
    for (int tries = 1; tries <= tries_max; ++tries) {
      const Lease connection = borrow();
      try {
        auto answer = body(*connection);
        if (!connection->is_outdated()) return answer;
      } catch (const std::exception&) {
        if (!connection->is_outdated()) throw;
      }
    }
    throw_busy();
  }

  /// Changes after every commit of any process. Uses its own connection, because each connection
  /// counts separately.
  [[nodiscard]] std::int64_t data_version();

 private:
  struct Reader {
    std::mutex mutex;
    std::unique_ptr<Connection> connection;  ///< guarded by mutex; opened on first use
    std::int64_t openings = 0;               ///< guarded by mutex
  };
  Connection& opened(Reader& reader) const;
  [[noreturn]] void throw_busy() const;

  static constexpr int tries_max = 10;

  std::filesystem::path path_;
  files::LockPatience patience_;
  Connection::Mode mode_;
  std::array<Reader, 3> readers_;
  Reader watcher_;
  std::atomic<std::size_t> turn_ = 0;
};

}  // namespace pawl::sqlite
