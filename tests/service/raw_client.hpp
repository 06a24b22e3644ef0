#pragma once

/// A client that sends bytes as a test chooses them, and shows the bytes that come back.

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "service/http/message.hpp"

namespace pawl::service {

/// A response as it came over the network.
struct RawResponse {
  unsigned status = 0;  ///< 0: none came before the connection ended
  Headers headers;
  std::string body;         ///< without its frame
  bool is_complete = true;  ///< false: the connection ended before the body did

  [[nodiscard]] std::string field(std::string_view name) const {
    return std::string(headers.find(name).value_or(""));
  }
};

/// Waits for at most ten seconds wherever it waits, which only a failing test does.
class RawClient {
 public:
  /// `address` as `Server::address`. A small receive buffer makes a slow reader.
  explicit RawClient(const std::string& address, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    set(SOL_SOCKET, SO_RCVTIMEO, patience);
    set(SOL_SOCKET, SO_SNDTIMEO, patience);
    set(IPPROTO_TCP, TCP_NODELAY, 1);
    if (receive_buffer > 0) set(SOL_SOCKET, SO_RCVBUF, receive_buffer);
    const std::size_t colon = address.rfind(':');
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &place.sin_addr);
    is_connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
  }
  ~RawClient() { close(); }
  RawClient(RawClient&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)),
        is_connected_(other.is_connected_),
        was_reset_(other.was_reset_),
        has_ended_(other.has_ended_),
        unread_(std::move(other.unread_)) {}
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  RawClient& operator=(RawClient&&) = delete;

  [[nodiscard]] bool is_connected() const { return is_connected_; }

  /// How long `send` waits for the server to take something.
  void set_patience(timeval patience) { set(SOL_SOCKET, SO_SNDTIMEO, patience); }

  /// False if the server did not take all of it.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void send_byte_by_byte(std::string_view bytes) {
    for (const char byte : bytes) send(std::string_view(&byte, 1));
  }

  /// The head of the next response.
  RawResponse head() {
    RawResponse response;
    const std::optional<std::string> bytes = take_through("\r\n\r\n");
    if (bytes) read_head(*bytes, response);
    response.is_complete = bytes.has_value();
    return response;
  }
  /// The next response. To HEAD there is no body.
  RawResponse response(bool to_head = false) {
    RawResponse response = head();
    if (response.status == 0 || to_head || response.status == 204 || response.status == 304 ||
        response.status < 200) {
      return response;
    }
    if (response.headers.find("Transfer-Encoding")) {
      read_chunks(response);
    } else if (const auto length = response.headers.find("Content-Length")) {
      const std::size_t size = std::stoul(std::string(*length));
      while (unread_.size() < size && receive()) {
      }
      response.is_complete = unread_.size() >= size;
      response.body = take(std::min(size, unread_.size()));
    } else {
      response.body = rest();
    }
    return response;
  }
  /// The data of the next chunk; empty for the last one; none if the connection ends.
  std::optional<std::string> chunk() {
    const std::optional<std::string> line = take_through("\r\n");
    if (!line) return std::nullopt;
    std::size_t size = 0;
    std::from_chars(line->data(), line->data() + line->size(), size, 16);
    while (unread_.size() < size + 2) {
      if (!receive()) return std::nullopt;
    }
    std::string data = take(size);
    take(2);
    return data;
  }
  /// Everything until the server closes.
  std::string rest() {
    while (receive()) {
    }
    return take(unread_.size());
  }
  /// Waits until the server closes. True if it did, after at most these bytes.
  bool sees_close() {
    while (receive()) {
    }
    return has_ended_ || was_reset_;
  }
  /// The server's end of the connection was an error.
  [[nodiscard]] bool was_reset() const { return was_reset_; }
  /// Whether nothing was received that was not asked for.
  [[nodiscard]] bool has_read_everything() const { return unread_.empty(); }

  void end_output() { ::shutdown(socket_, SHUT_WR); }
  /// Closes with a reset, as a program that is killed does.
  void reset() {
    set(SOL_SOCKET, SO_LINGER, linger{.l_onoff = 1, .l_linger = 0});
    close();
  }
  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

 private:
  template <class Value>
  void set(int level, int option, const Value& value) {
    ::setsockopt(socket_, level, option, &value, sizeof value);
  }

  bool receive() {
    char buffer[65536];
    const ssize_t count = ::recv(socket_, buffer, sizeof buffer, 0);
    if (count == 0) has_ended_ = true;
    if (count < 0 && errno == ECONNRESET) was_reset_ = true;
    if (count <= 0) return false;
    unread_.append(buffer, static_cast<std::size_t>(count));
    return true;
  }
  std::string take(std::size_t count) {
    std::string bytes = unread_.substr(0, count);
    unread_.erase(0, count);
    return bytes;
  }
  std::optional<std::string> take_through(std::string_view mark) {
    std::size_t at = 0;
    while ((at = unread_.find(mark)) == std::string::npos) {
      if (!receive()) return std::nullopt;
    }
    return take(at + mark.size());
  }

  static void read_head(std::string_view head, RawResponse& response) {
    std::from_chars(head.data() + 9, head.data() + 12, response.status);
    std::size_t at = head.find("\r\n") + 2;
    while (head.substr(at, 2) != "\r\n") {
      const std::size_t end = head.find("\r\n", at);
      const std::size_t colon = head.find(": ", at);
      response.headers.add(std::string(head.substr(at, colon - at)),
                           std::string(head.substr(colon + 2, end - colon - 2)));
      at = end + 2;
    }
  }
  void read_chunks(RawResponse& response) {
    for (;;) {
      const std::optional<std::string> data = chunk();
      response.is_complete = data.has_value();
      if (!data || data->empty()) return;
      response.body += *data;
    }
  }

  int socket_;
  bool is_connected_ = false;
  bool was_reset_ = false;
  bool has_ended_ = false;
  std::string unread_;
};

}  // namespace pawl::service
