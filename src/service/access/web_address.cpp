#include "service/access/web_address.hpp"

#include <algorithm>

#include "service/access/address_range.hpp"

namespace pawl::service {
namespace {

constexpr std::size_t host_max = 253;
constexpr std::uint16_t http_port = 80;
constexpr std::uint16_t https_port = 443;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lowered(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::optional<std::uint16_t> parse_port(std::string_view text) {
  constexpr std::size_t digits_max = 5;
  constexpr unsigned port_max = 65'535;
  if (text.empty() || text.size() > digits_max || !std::ranges::all_of(text, is_digit)) {
    return std::nullopt;
  }
  unsigned number = 0;
  for (const char c : text) number = number * 10 + static_cast<unsigned>(c - '0');
  if (number > port_max) return std::nullopt;
  return static_cast<std::uint16_t>(number);
}

bool is_host_name(std::string_view text) {
  const auto is_allowed = [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= host_max && text.front() != '.' &&
         std::ranges::all_of(text, is_allowed);
}

/// A host name in lower case; an address in its usual form.
std::optional<std::string> parse_host(std::string_view text) {
  if (text.starts_with('[')) {
    if (!text.ends_with(']')) return std::nullopt;
    text = text.substr(1, text.size() - 2);
    // An IPv4 address has no brackets, and the zone of an address means nothing to others.
    if (!text.contains(':') || text.contains('%')) return std::nullopt;
    return usual_address(text);
  }
  if (!is_host_name(text)) return std::nullopt;
  std::string host(text);
  std::ranges::transform(host, host.begin(), lowered);
  return host;
}

/// Whether a path can stand before the paths of the service: "/flows/a".
bool is_prefix(std::string_view path) {
  const auto is_allowed = [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_' || c == '~' || c == '/';
  };
  if (!std::ranges::all_of(path, is_allowed) || path.contains("//")) return false;
  const std::string closed = std::string(path) + "/";
  return !closed.contains("/./") && !closed.contains("/../");
}

}  // namespace

std::optional<HostPort> parse_host_port(std::string_view text) {
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::size_t colon = std::min(text.find(':', bracket), text.size());
  std::optional<std::string> host = parse_host(text.substr(0, colon));
  if (!host) return std::nullopt;
  HostPort found{.host = *std::move(host), .port = std::nullopt};
  if (colon == text.size()) return found;
  found.port = parse_port(text.substr(colon + 1));
  if (!found.port) return std::nullopt;
  return found;
}

bool is_loopback_host(std::string_view host) { return host == "localhost" || is_loopback(host); }

std::optional<WebAddress> parse_web_address(std::string_view text) {
  WebAddress address;
  if (text.starts_with("https://")) {
    address.is_https = true;
    text.remove_prefix(8);
  } else if (text.starts_with("http://")) {
    text.remove_prefix(7);
  } else {
    return std::nullopt;
  }
  const std::size_t slash = std::min(text.find('/'), text.size());
  std::optional<HostPort> where = parse_host_port(text.substr(0, slash));
  if (!where || where->port == std::uint16_t{0}) return std::nullopt;
  std::string_view path = text.substr(slash);
  if (!is_prefix(path)) return std::nullopt;
  while (path.ends_with('/')) path.remove_suffix(1);
  address.host = std::move(where->host);
  address.port = where->port.value_or(address.is_https ? https_port : http_port);
  address.prefix = path;
  return address;
}

std::string text_of(const WebAddress& address) {
  const bool is_v6 = address.host.contains(':');
  std::string text = address.is_https ? "https://" : "http://";
  text += is_v6 ? "[" + address.host + "]" : address.host;
  if (address.port != (address.is_https ? https_port : http_port)) {
    text += ":" + std::to_string(address.port);
  }
  return text + address.prefix;
}

}  // namespace pawl::service
