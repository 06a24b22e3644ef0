#include "service/access/forwarded.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "service/access/address_range.hpp"
#include "service/access/web_address.hpp"

namespace pawl::service {
namespace {

std::string_view trimmed(std::string_view text, std::string_view away) {
  const std::size_t first = text.find_first_not_of(away);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(away) - first + 1);
}

std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin), " \t"));
    begin = end + 1;
  }
  return parts;
}

/// "192.0.2.7", "192.0.2.7:4711", "2001:db8::7", "[2001:db8::7]:4711"; empty for anything else.
std::string address_in(std::string_view text) {
  if (std::optional<std::string> address = usual_address(text)) return *std::move(address);
  const std::optional<HostPort> with_port = parse_host_port(text);
  return with_port ? usual_address(with_port->host).value_or("") : std::string();
}

/// The value of `for` in one element of `Forwarded`: for="[2001:db8::7]";proto=https
std::string_view for_in(std::string_view element) {
  for (const std::string_view pair : parts_of(element, ';')) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (is_same_name(pair.substr(0, equals), "for") && equals < pair.size()) {
      return trimmed(pair.substr(equals + 1), "\"");
    }
  }
  return {};
}

std::vector<std::string> addresses_in(const Request& request, std::string_view field,
                                      std::string_view (*entry)(std::string_view)) {
  std::vector<std::string> addresses;
  for (const auto& [name, value] : request.headers.all()) {
    if (!is_same_name(name, field)) continue;
    for (const std::string_view part : parts_of(value, ',')) {
      addresses.push_back(address_in(entry(part)));
    }
  }
  return addresses;
}

}  // namespace

std::vector<std::string> forwarded_addresses(const Request& request) {
  if (request.headers.count("X-Forwarded-For") > 0) {
    return addresses_in(request, "X-Forwarded-For", [](std::string_view part) { return part; });
  }
  return addresses_in(request, "Forwarded", for_in);
}

bool is_forwarded(const Request& request) {
  constexpr std::array<std::string_view, 5> fields{"X-Forwarded-For", "Forwarded",
                                                   "X-Forwarded-Host", "X-Real-IP", "Via"};
  return std::ranges::any_of(
      fields, [&](std::string_view field) { return request.headers.count(field) > 0; });
}

}  // namespace pawl::service
