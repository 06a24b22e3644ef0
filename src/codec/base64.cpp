#include "codec/base64.hpp"

#include <limits>

#include <openssl/evp.h>

#include "pawl/core/result.hpp"

namespace pawl::codec {
namespace {

// OpenSSL uses int for sizes; the pieces here are at most a few megabytes.
constexpr std::size_t bytes_max = std::numeric_limits<int>::max() / 2;

const unsigned char* unsigned_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

std::string to_base64(std::string_view bytes) {
  require(bytes.size() <= bytes_max, "base64 is for pieces of bounded size");
  // One more, for the NUL that OpenSSL appends.
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                     unsigned_of(bytes), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  if (text.size() % 4 != 0 || text.size() > bytes_max) return std::nullopt;
  std::string bytes(text.size() / 4 * 3, '\0');
  const int length = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                     unsigned_of(text), static_cast<int>(text.size()));
  if (length < 0 || static_cast<std::size_t>(length) != bytes.size()) return std::nullopt;
  // OpenSSL counts the padding as bytes.
  if (text.ends_with("==")) {
    bytes.resize(bytes.size() - 2);
  } else if (text.ends_with('=')) {
    bytes.resize(bytes.size() - 1);
  }
  // OpenSSL also accepts white space and stray bits. Encoding the result again detects them.
  if (to_base64(bytes) != text) return std::nullopt;
  return bytes;
}

}  // namespace pawl::codec
