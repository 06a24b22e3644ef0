#pragma once

/// Signatures of exports: Ed25519 by OpenSSL. What is signed is a text with the digest of the rest.

#include <span>
#include <string>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl {

/// Base64 of 32 bytes, and of 64. The words of the line `signature`.
struct Signature {
  std::string public_key;
  std::string value;
  friend bool operator==(const Signature&, const Signature&) = default;
};

/// `private_key` is PEM text. `invalid` for anything but an Ed25519 private key without a
/// passphrase.
[[nodiscard]] Result<Signature> sign(std::string_view private_key, std::string_view text);
/// The fingerprint of the key that made it. `corrupt` when the signature is not of this text.
[[nodiscard]] Result<std::string> check_signature(const Signature& signature,
                                                  std::string_view text);
/// Whether one of these keys (PEM text) made it. `invalid` where one is not an Ed25519 public key.
[[nodiscard]] Result<bool> is_by_one_of(std::span<const std::string> public_keys,
                                        const Signature& signature);
/// "SHA256:" and the digest of the public key, of PEM text with either half. `invalid` for any
/// other text.
[[nodiscard]] Result<std::string> fingerprint_of(std::string_view pem);

}  // namespace pawl
