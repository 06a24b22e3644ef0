#pragma once

/// IP addresses and ranges of them: "127.0.0.1", "10.0.0.0/8", "fd00::/8". An IPv4 address is the
/// same as its IPv4-mapped IPv6 address.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl::service {

class AddressRange {
 public:
  /// None if the text is neither an address nor a range. In a range, the bits after the prefix are
  /// zero.
  [[nodiscard]] static std::optional<AddressRange> parse(std::string_view text);
  [[nodiscard]] bool contains(std::string_view address) const;
  /// Whether the range has every IPv4 address, or every address.
  [[nodiscard]] bool is_everything() const;
  friend bool operator==(const AddressRange&, const AddressRange&) = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};  ///< as IPv6
  unsigned bits_ = 128;
};

/// The address in its usual form: in lower case, with zeros left out, without a zone. An
/// IPv4-mapped address as IPv4. None if the text is not an address.
[[nodiscard]] std::optional<std::string> usual_address(std::string_view text);

/// Whether the address is in 127.0.0.0/8, or is ::1.
[[nodiscard]] bool is_loopback(std::string_view address);

}  // namespace pawl::service
