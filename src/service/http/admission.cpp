#include "service/http/admission.hpp"

#include <array>
#include <utility>

#include <arpa/inet.h>

namespace pawl::service {
namespace {

/// One client usually has a whole /64 network of IPv6, so its addresses count together.
std::string place_of(const std::string& address) {
  std::array<char, 16> bytes{};
  if (::inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return address;
  return "network " + std::string(bytes.data(), 8);
}

bool is_loopback_address(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

}  // namespace

Admission::Admission(const ServerLimits& limits, Exemption is_exempt)
    : max_(limits.connections_max),
      per_address_max_(limits.connections_per_address_max),
      loopback_is_exempt_(limits.loopback_is_exempt),
      is_exempt_(std::move(is_exempt)) {}

std::optional<std::string> Admission::admit(const std::string& address) {
  if (count_ >= max_) return std::nullopt;
  const bool is_exempt =
      (loopback_is_exempt_ && is_loopback_address(address)) || (is_exempt_ && is_exempt_(address));
  std::string place;
  if (!is_exempt) {
    place = place_of(address);
    std::size_t& here = by_place_[place];
    if (here >= per_address_max_) return std::nullopt;
    ++here;
  }
  ++count_;
  return place;
}

void Admission::leave(const std::string& place) {
  --count_;
  const auto here = by_place_.find(place);
  if (here != by_place_.end() && --here->second == 0) by_place_.erase(here);
}

Status check_limits(const ServerLimits& limits) {
  if (limits.request_threads == 0 || limits.connections_max == 0 ||
      limits.connections_per_address_max == 0 || limits.head_max == 0) {
    return fail(ErrorCode::invalid, "a limit of the HTTP server is zero",
                "give every limit a number above zero");
  }
  return {};
}

}  // namespace pawl::service
