#pragma once

/// A few connections for reading and for payloads, so that these wait neither for the writer nor
/// for each other. Threads: any.

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "postgres/dialer.hpp"
#include "sql/read_ports.hpp"

namespace pawl::postgres {

class Readers final : public sql::ReadDoor {
 public:
  /// `dialer` must outlive this object.
  explicit Readers(Dialer& dialer) : dialer_(dialer) {}

  /// Reads under one read-only snapshot. The connection is tested before `body` runs, so that
  /// `body` runs only once even after a restart of the server.
  std::optional<Error> read(const std::function<void(sql::Session&)>& body) override;

  /// Runs `body` in its own transaction and commits it. Throws.
  void write(const std::function<void(Connection&)>& body);

 private:
  struct Reader {
    std::mutex mutex;
    std::unique_ptr<Connection> connection;  ///< guarded by mutex; opened on first use
  };
  /// A connection for one user, with an open transaction.
  class Lease;
  Lease borrow(const char* begin);
  void open(Reader& reader, const char* begin);

  Dialer& dialer_;
  std::array<Reader, 3> readers_;
  std::atomic<std::size_t> turn_ = 0;
};

}  // namespace pawl::postgres
