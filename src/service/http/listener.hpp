#pragma once

/// Accepts connections on one address.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "pawl/core/result.hpp"
#include "service/http/sockets.hpp"

namespace pawl::service {

/// Threads: `open` and `address` from any, the rest only on the I/O thread.
class Listener {
 public:
  /// `peer` is the address of the client.
  using Accept = std::function<void(Socket socket, const std::string& peer)>;

  /// As `Server::listen`.
  [[nodiscard]] static Result<std::unique_ptr<Listener>> open(IoContext& io,
                                                              const std::string& address);
  /// "127.0.0.1:7878", with the real port.
  [[nodiscard]] const std::string& address() const { return address_; }

  /// Accepts from now on, until `close`. If the system has no more sockets, it tries again a little
  /// later.
  void start(Accept accept);
  void close();
  /// How often a connection could not be accepted. Called from any thread.
  [[nodiscard]] std::int64_t failures() const { return failures_; }

 private:
  Listener(IoContext& io, Acceptor acceptor, std::string address);

  void wait();
  void wait_a_little();
  void accept_all();

  IoContext& io_;
  Acceptor acceptor_;
  Timer timer_;
  const std::string address_;
  Accept accept_;
  std::atomic<std::int64_t> failures_ = 0;
};

}  // namespace pawl::service
