#pragma once

/// Addresses of web sites as people and browsers write them: "https://pawl.example.org/flows", and
/// the host with its port that the Host field has: "pawl.example.org:8080".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::service {

/// A host name in lower case, or an address in its usual form, without brackets.
struct HostPort {
  std::string host;
  std::optional<std::uint16_t> port;
  friend bool operator==(const HostPort&, const HostPort&) = default;
};
/// None for a text that is not exactly a host and perhaps a port: "localhost", "[::1]:7878".
[[nodiscard]] std::optional<HostPort> parse_host_port(std::string_view text);

/// "localhost", 127.0.0.0/8 or ::1.
[[nodiscard]] bool is_loopback_host(std::string_view host);

struct WebAddress {
  bool is_https = false;
  std::string host;
  std::uint16_t port = 0;  ///< never left out: 80 or 443 if the text does not say it
  std::string prefix;      ///< "/flows"; empty: the whole site

  /// Whether a browser regards both as one site: scheme, host and port.
  [[nodiscard]] bool has_origin_of(const WebAddress& other) const {
    return is_https == other.is_https && host == other.host && port == other.port;
  }
};
/// "http" or "https", a host, and perhaps a port and a path. None for anything else: a user, a
/// query, a fragment, escapes, "..". A slash at the end is left out.
[[nodiscard]] std::optional<WebAddress> parse_web_address(std::string_view text);
/// "https://pawl.example.org/flows", without a port that goes without saying.
[[nodiscard]] std::string text_of(const WebAddress& address);

}  // namespace pawl::service
