#include "service/http/listener.hpp"

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pawl::service {
namespace {

namespace asio = boost::asio;

constexpr int backlog = 1'024;
/// Connections that are accepted before other events have their turn.
constexpr int accepts_at_once = 64;
constexpr std::chrono::milliseconds pause{100};
/// What a slow reader may keep in the kernel beyond what is on its way, in bytes.
constexpr int unsent_max = 128 * 1'024;
/// A client that has vanished is noticed after about two minutes, also by a stream that idles.
constexpr int keepalive_idle_s = 60;
constexpr int keepalive_interval_s = 15;
constexpr int keepalive_probes = 4;

/// None unless the text is an address, a colon and a port.
std::optional<Tcp::endpoint> endpoint_of(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  if (has_brackets) host = host.substr(1, host.size() - 2);
  std::uint16_t number = 0;
  const auto [end, fault] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (port.empty() || fault != std::errc() || end != port.data() + port.size()) return std::nullopt;
  IoError error;
  const auto address = asio::ip::make_address(std::string(host), error);
  if (error || address.is_v6() != has_brackets) return std::nullopt;
  return Tcp::endpoint(address, number);
}

std::string text_of(const Tcp::endpoint& endpoint) {
  const std::string host = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + host + "]" : host) + ":" +
         std::to_string(endpoint.port());
}

/// An IPv4 client of an IPv6 socket has its IPv4 address.
std::string peer_of(const Tcp::endpoint& endpoint) {
  const asio::ip::address address = endpoint.address();
  if (!address.is_v6()) return address.to_string();
  asio::ip::address_v6 six = address.to_v6();
  if (six.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, six).to_string();
  six.scope_id(0);
  return six.to_string();
}

void set(int socket, int level, int option, int value) {
  // These make the server better, not possible: that one is missing is no reason to stop.
  (void)::setsockopt(socket, level, option, &value, sizeof value);
}

/// Sockets are close-on-exec, so that the commands that the engine starts do not inherit them;
/// Asio's own are not.
void prepare(int socket) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent_max);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, keepalive_idle_s);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, keepalive_interval_s);
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, keepalive_probes);
}

std::unexpected<Error> cannot_listen(const std::string& address, const IoError& error) {
  if (error == asio::error::address_in_use) {
    return fail(ErrorCode::unavailable, "another program listens on " + address,
                "stop it, or choose another port");
  }
  return fail(ErrorCode::unavailable, "cannot listen on " + address + ": " + error.message(),
              error == asio::error::access_denied
                  ? "only the administrator may use ports below 1024: choose a higher one"
                  : "use an address of this machine, such as 127.0.0.1");
}

}  // namespace

Result<std::unique_ptr<Listener>> Listener::open(IoContext& io, const std::string& address) {
  const auto endpoint = endpoint_of(address);
  if (!endpoint) {
    return fail(ErrorCode::invalid, "not an address and a port: " + address,
                "write it as 127.0.0.1:7878 or [::1]:7878");
  }
  Acceptor acceptor(io);
  IoError error;
  const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  const int socket = ::socket(endpoint->protocol().family(), type, IPPROTO_TCP);
  if (socket < 0) return cannot_listen(address, {errno, boost::system::system_category()});
  (void)acceptor.assign(endpoint->protocol(), socket, error);
  if (error) {
    ::close(socket);
    return cannot_listen(address, error);
  }
  (void)acceptor.set_option(Acceptor::reuse_address(true), error);
  (void)acceptor.bind(*endpoint, error);
  if (!error) (void)acceptor.listen(backlog, error);
  if (error) return cannot_listen(address, error);
  std::string text = text_of(acceptor.local_endpoint(error));
  return std::unique_ptr<Listener>(new Listener(io, std::move(acceptor), std::move(text)));
}

Listener::Listener(IoContext& io, Acceptor acceptor, std::string address)
    : io_(io), acceptor_(std::move(acceptor)), timer_(io), address_(std::move(address)) {}

void Listener::start(Accept accept) {
  accept_ = std::move(accept);
  wait();
}

void Listener::close() {
  IoError error;
  (void)acceptor_.close(error);
  timer_.cancel();
}

void Listener::wait() {
  acceptor_.async_wait(Acceptor::wait_read, [this](const IoError& error) {
    if (!error && acceptor_.is_open()) accept_all();
  });
}

void Listener::wait_a_little() {
  timer_.expires_after(pause);
  timer_.async_wait([this](const IoError& error) {
    if (!error && acceptor_.is_open()) wait();
  });
}

void Listener::accept_all() {
  for (int i = 0; i < accepts_at_once; ++i) {
    Tcp::endpoint peer;
    auto size = static_cast<socklen_t>(peer.capacity());
    const int socket =
        ::accept4(acceptor_.native_handle(), peer.data(), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
      const int error = errno;
      if (error == EAGAIN) break;
      if (error == EINTR || error == ECONNABORTED) continue;
      ++failures_;
      return wait_a_little();
    }
    peer.resize(size);
    prepare(socket);
    Socket accepted(io_);
    IoError error;
    (void)accepted.assign(peer.protocol(), socket, error);
    if (error) {
      ::close(socket);
      ++failures_;
      return wait_a_little();
    }
    try {
      accept_(std::move(accepted), peer_of(peer));
    } catch (...) {
      ++failures_;  // for want of memory, and the next one may fit again
    }
  }
  wait();
}

}  // namespace pawl::service
