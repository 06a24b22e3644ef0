#pragma once

/// A connection that breaks where a test wants it: a proxy on loopback between a store and the
/// server. It counts what clients send, in the pieces in which it arrives (for libpq on loopback,
/// about one per round trip), and breaks every connection at the chosen piece. It can also refuse
/// connections in the server's place.

#include <array>
#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace pawl {

class CuttingProxy {
 public:
  enum class Cut : std::uint8_t {
    before,  ///< the server never sees it
    after,   ///< the server sees it and answers; the answer is lost
  };

  /// `server`: the port on loopback.
  explicit CuttingProxy(int server)
      : server_(server), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in here = loopback(0);
    socklen_t size = sizeof here;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&here), size) != 0 ||
        ::listen(listener_, 16) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size) != 0) {
      throw std::runtime_error("the proxy finds no port");
    }
    port_ = ntohs(here.sin_port);
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }
  ~CuttingProxy() {
    thread_.request_stop();
    thread_.join();
    for (const Pair& pair : pairs_) close_both(pair);
    ::close(listener_);
  }
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  [[nodiscard]] int port() const { return port_; }

  /// Breaks at the n-th piece from now, counted from 1; 0: never.
  void cut_at(int piece, Cut how) {
    const std::lock_guard lock(mutex_);
    left_ = piece;
    how_ = how;
    has_cut_ = false;
  }
  /// Breaks every connection, and answers each new one with a FATAL error in the server's place. An
  /// empty state lets connections through again.
  void refuse_all(const std::string& state, const std::string& message) {
    const std::lock_guard lock(mutex_);
    refusal_.clear();
    if (state.empty()) return;
    const std::string fields = std::string("SFATAL") + '\0' + "VFATAL" + '\0' + "C" + state + '\0' +
                               "M" + message + '\0' + '\0';
    const std::uint32_t size = htonl(static_cast<std::uint32_t>(fields.size() + 4));
    refusal_ = "E" + std::string(reinterpret_cast<const char*>(&size), sizeof size) + fields;
    breaks_all_ = true;
  }
  [[nodiscard]] bool has_cut() {
    const std::lock_guard lock(mutex_);
    return has_cut_;
  }

 private:
  struct Pair {
    int client;
    int server;
    bool swallows = false;  ///< the next answer of the server is lost, with the connection
  };

  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }
  static void close_both(const Pair& pair) {
    ::close(pair.client);
    ::close(pair.server);
  }
  static bool send_all(int to, const char* bytes, ssize_t size) {
    while (size > 0) {
      const ssize_t sent = ::send(to, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes += sent;
      size -= sent;
    }
    return true;
  }

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      std::vector<pollfd> waits{{.fd = listener_, .events = POLLIN, .revents = 0}};
      for (const Pair& pair : pairs_) {
        waits.push_back({.fd = pair.client, .events = POLLIN, .revents = 0});
        waits.push_back({.fd = pair.server, .events = POLLIN, .revents = 0});
      }
      constexpr int look_every_ms = 20;
      (void)::poll(waits.data(), waits.size(), look_every_ms);
      std::size_t at = 1;
      for (auto pair = pairs_.begin(); pair != pairs_.end();) {
        const bool from_client = waits[at++].revents != 0;
        const bool from_server = waits[at++].revents != 0;
        const bool goes_on =
            (!from_client || forward_request(*pair)) && (!from_server || forward_answer(*pair));
        if (!goes_on) close_both(*pair);
        pair = goes_on ? std::next(pair) : pairs_.erase(pair);
      }
      break_all_if_told();
      if (waits.front().revents != 0) accept_one();
    }
  }
  void break_all_if_told() {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(breaks_all_, false)) return;
    for (const Pair& pair : pairs_) close_both(pair);
    pairs_.clear();
  }
  /// Refuses TLS, and answers the next message with the refusal.
  void refuse(int client, const std::string& refusal) {
    constexpr ssize_t size_of_tls_request = 8;
    ssize_t got = ::recv(client, buffer_.data(), buffer_.size(), 0);
    if (got == size_of_tls_request && send_all(client, "N", 1)) {
      got = ::recv(client, buffer_.data(), buffer_.size(), 0);
    }
    if (got > 0) (void)send_all(client, refusal.data(), static_cast<ssize_t>(refusal.size()));
    ::close(client);
  }
  void accept_one() {
    const int client = ::accept(listener_, nullptr, nullptr);
    std::string refusal;
    {
      const std::lock_guard lock(mutex_);
      refusal = refusal_;
    }
    if (!refusal.empty()) return refuse(client, refusal);
    const int server = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(server_);
    if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(client);
      ::close(server);
      return;
    }
    pairs_.push_back({.client = client, .server = server});
  }
  bool forward_request(Pair& pair) {
    const ssize_t got = ::recv(pair.client, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) return false;
    const std::lock_guard lock(mutex_);
    if (left_ > 0 && --left_ == 0) {
      has_cut_ = true;
      if (how_ == Cut::before) return false;
      pair.swallows = true;
    }
    return send_all(pair.server, buffer_.data(), got);
  }
  bool forward_answer(Pair& pair) {
    const ssize_t got = ::recv(pair.server, buffer_.data(), buffer_.size(), 0);
    if (got <= 0 || pair.swallows) return false;
    return send_all(pair.client, buffer_.data(), got);
  }

  const int server_;
  const int listener_;
  int port_ = 0;
  std::array<char, 1 << 16> buffer_{};
  std::list<Pair> pairs_;  // used by the thread only
  std::mutex mutex_;
  int left_ = 0;             // guarded by mutex_
  Cut how_ = Cut::before;    // guarded by mutex_
  bool has_cut_ = false;     // guarded by mutex_
  std::string refusal_;      // guarded by mutex_; empty: no connection is refused
  bool breaks_all_ = false;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace pawl
