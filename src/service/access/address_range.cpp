#include "service/access/address_range.hpp"

#include <algorithm>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace pawl::service {
namespace {

using Bytes = std::array<std::uint8_t, 16>;

constexpr unsigned all_bits = 128;
constexpr unsigned mapped_bits = 96;  ///< those before the IPv4 address in a mapped one
constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

bool is_mapped(const Bytes& bytes) {
  return std::equal(mapped_prefix.begin(), mapped_prefix.end(), bytes.begin());
}

struct Parsed {
  Bytes bytes{};
  bool is_v4 = false;
};

std::optional<Parsed> parse_address(std::string_view text) {
  if (text.size() >= INET6_ADDRSTRLEN || text.contains('\0')) return std::nullopt;
  const std::string whole(text);
  Parsed parsed;
  in_addr v4{};
  if (::inet_pton(AF_INET, whole.c_str(), &v4) == 1) {
    std::ranges::copy(mapped_prefix, parsed.bytes.begin());
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&v4.s_addr);
    std::copy_n(bytes, sizeof v4.s_addr, parsed.bytes.begin() + mapped_prefix.size());
    parsed.is_v4 = true;
    return parsed;
  }
  in6_addr v6{};
  if (::inet_pton(AF_INET6, whole.c_str(), &v6) != 1) return std::nullopt;
  std::ranges::copy(v6.s6_addr, parsed.bytes.begin());
  return parsed;
}

/// A decimal number without a sign and without leading zeros.
std::optional<unsigned> parse_bits(std::string_view text, unsigned most) {
  constexpr std::size_t digits_max = 3;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.empty() || text.size() > digits_max || !std::ranges::all_of(text, is_digit)) {
    return std::nullopt;
  }
  if (text.size() > 1 && text.front() == '0') return std::nullopt;
  unsigned number = 0;
  for (const char c : text) number = number * 10 + static_cast<unsigned>(c - '0');
  return number <= most ? std::optional(number) : std::nullopt;
}

bool bit(const Bytes& bytes, unsigned place) {
  return ((bytes[place / 8] >> (7U - place % 8U)) & 1U) != 0;
}

}  // namespace

std::optional<AddressRange> AddressRange::parse(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::optional<Parsed> address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  AddressRange range;
  range.bytes_ = address->bytes;
  if (slash == text.size()) return range;
  const unsigned before = address->is_v4 ? mapped_bits : 0;
  const auto bits = parse_bits(text.substr(slash + 1), all_bits - before);
  if (!bits) return std::nullopt;
  range.bits_ = before + *bits;
  for (unsigned place = range.bits_; place < all_bits; ++place) {
    if (bit(range.bytes_, place)) return std::nullopt;
  }
  return range;
}

bool AddressRange::contains(std::string_view address) const {
  // A link-local address may come with the interface it belongs to.
  const auto parsed = parse_address(address.substr(0, address.find('%')));
  if (!parsed) return false;
  for (unsigned place = 0; place < bits_; ++place) {
    if (bit(parsed->bytes, place) != bit(bytes_, place)) return false;
  }
  return true;
}

bool AddressRange::is_everything() const {
  return bits_ == 0 || (bits_ <= mapped_bits && contains("0.0.0.0"));
}

std::optional<std::string> usual_address(std::string_view text) {
  const auto parsed = parse_address(text.substr(0, text.find('%')));
  if (!parsed) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> written{};
  const bool is_v4 = is_mapped(parsed->bytes);
  const void* const bytes = is_v4 ? &parsed->bytes[mapped_prefix.size()] : parsed->bytes.data();
  const char* const usual =
      ::inet_ntop(is_v4 ? AF_INET : AF_INET6, bytes, written.data(), written.size());
  if (usual == nullptr) return std::nullopt;
  return usual;
}

bool is_loopback(std::string_view address) {
  static const std::optional<AddressRange> v4 = AddressRange::parse("127.0.0.0/8");
  static const std::optional<AddressRange> v6 = AddressRange::parse("::1");
  return v4->contains(address) || v6->contains(address);
}

}  // namespace pawl::service
