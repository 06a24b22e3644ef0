#pragma once

/// The HTTP/1.1 server: it accepts connections, reads requests strictly, gives them to a handler on
/// one of a few request threads, and writes the responses.
///
/// One thread does all input and output; nothing blocks it. Requests that a client sends before the
/// answer to the last one are answered in order. A request that could be read in two ways (a
/// Transfer-Encoding other than exactly "chunked", or together with a length; two lengths; a header
/// name with a space) is refused with 400, and its connection ends.
///
/// The sources, in the order of their use: listener, admission, connections (all that are open),
/// connection (one of them), wire (its socket), request_reader and request_head, request_threads,
/// response_head, stream_pump.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "pawl/core/result.hpp"
#include "service/http/message.hpp"

namespace pawl::service {

struct ServerLimits {
  std::size_t head_max = std::size_t{16} << 10U;  ///< of the request line and the fields, in bytes
  std::chrono::milliseconds head_timeout = std::chrono::seconds(10);
  /// For a whole body: at least this long, and a second longer for every `body_bytes_per_second`
  /// that have arrived.
  std::chrono::milliseconds body_timeout = std::chrono::seconds(30);
  std::size_t body_bytes_per_second = std::size_t{16} << 10U;
  /// Of all bodies together that are being read or answered, in bytes.
  std::size_t bodies_max = std::size_t{256} << 20U;
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(75);
  /// A client that reads nothing of a response for this long is dropped.
  std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
  /// How long, and for how many bytes, the rest of a refused request is read and thrown away. A
  /// client that is still sending would not see the answer otherwise.
  std::chrono::milliseconds drain_timeout = std::chrono::seconds(5);
  std::size_t drain_max = std::size_t{32} << 20U;
  std::size_t connections_max = 4'096;
  /// For one IPv4 address or one /64 network of IPv6. Exempt addresses have no limit of their own.
  std::size_t connections_per_address_max = 128;
  bool loopback_is_exempt = true;
  unsigned request_threads = 4;
  friend bool operator==(const ServerLimits&, const ServerLimits&) = default;
};

/// What the server has done so far, for metrics.
struct ServerFigures {
  std::int64_t connections = 0;  ///< open now
  std::int64_t streams = 0;      ///< responses that are streams and not complete, now
  std::int64_t accepted = 0;     ///< connections, in all
  std::int64_t refused = 0;      ///< connections over a limit, in all
  /// How often a connection could not be accepted, for example for want of file descriptors.
  std::int64_t accept_failures = 0;
  /// Exceptions outside of any handler, which only a lack of memory causes.
  std::int64_t faults = 0;
};

/// Whether this address has no limit of its own, such as that of a trusted proxy. Called on the
/// I/O thread.
using Exemption = std::function<bool(std::string_view address)>;

class Server {
 public:
  /// Listens on an address and port: "127.0.0.1:7878", "[::1]:7878"; port 0 takes a free one.
  /// `invalid` for something else, and for limits that cannot work; `unavailable` if the port is
  /// taken or the system does not allow it. The handler must outlive the server.
  [[nodiscard]] static Result<std::unique_ptr<Server>> listen(const std::string& address,
                                                              Handler& handler,
                                                              ServerLimits limits = {},
                                                              Exemption is_exempt = {});
  virtual ~Server() = default;

  /// "127.0.0.1:7878", with the real port.
  [[nodiscard]] virtual std::string address() const = 0;
  /// Starts the threads. Connections wait until then.
  virtual void start() = 0;
  /// Stops accepting, ends streams and idle connections, and lets requests finish, but waits at
  /// most this long for them. Then every connection is closed and all threads have ended, which
  /// takes longer if a handler does not return. Not called from a handler. A second call waits for
  /// the first. The destructor stops without patience.
  virtual void stop(std::chrono::milliseconds patience) = 0;
  [[nodiscard]] virtual ServerFigures figures() const = 0;
};

}  // namespace pawl::service
