#include "pawl/codec/digest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <openssl/evp.h>

#include "pawl/core/result.hpp"

namespace pawl {
namespace {

constexpr std::size_t digest_bytes = 32;
using Digest = std::array<unsigned char, digest_bytes>;

/// Fetched once, because the lookup costs more than hashing a short text. Never freed, so that it
/// outlives every user.
const EVP_MD* sha256() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  require(algorithm != nullptr, "OpenSSL provides SHA-256");
  return algorithm;
}

std::string hex(const Digest& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const unsigned char byte : digest) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace

bool is_sha256_hex(std::string_view text) {
  const auto is_digit = [](char digit) {
    return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
  };
  return text.size() == sha256_hex_digits && std::ranges::all_of(text, is_digit);
}

std::string sha256_hex(std::string_view bytes) {
  Digest digest;
  const bool done =
      EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, sha256(), nullptr) == 1;
  require(done, "SHA-256 of bytes in memory succeeds");
  return hex(digest);
}

struct Sha256::State {
  State() : context(EVP_MD_CTX_new()) { restart(); }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void restart() const {
    require(context != nullptr && EVP_DigestInit_ex(context, sha256(), nullptr) == 1,
            "SHA-256 can be started");
  }

  EVP_MD_CTX* context;
};

Sha256::Sha256() : state_(std::make_unique<State>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&& other) noexcept = default;
Sha256& Sha256::operator=(Sha256&& other) noexcept = default;

Sha256& Sha256::update(std::string_view bytes) {
  require(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1,
          "SHA-256 takes more bytes");
  return *this;
}

std::string Sha256::finish_hex() {
  Digest digest;
  require(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1,
          "SHA-256 can be finished");
  state_->restart();
  return hex(digest);
}

}  // namespace pawl
