#include "pawl/store/people.hpp"

#include <array>

#include <sys/random.h>

#include "pawl/codec/digest.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

Secret make_secret() {
  constexpr std::string_view digits = "0123456789abcdef";
  std::array<unsigned char, 32> bytes{};
  require(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
          "getrandom returns all bytes");
  Secret secret{.text = "pawl_", .sha256 = {}};
  for (const unsigned char byte : bytes) {
    secret.text += digits[byte >> 4U];
    secret.text += digits[byte & 0xFU];
  }
  secret.sha256 = sha256_hex(secret.text);
  return secret;
}

}  // namespace pawl
