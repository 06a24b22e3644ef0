#pragma once

/// Signatures of exports: Ed25519 by OpenSSL. The signed text contains the digest of the rest of
/// the file.

#include <span>
#include <string>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl::codec {

/// Base64 of 32 and of 64 bytes, as in the line `signature` of an export.
struct Signature {
  std::string public_key;
  std::string value;
  friend bool operator==(const Signature&, const Signature&) = default;
};

/// `private_key` is PEM text. `invalid` unless it is an Ed25519 private key without a passphrase.
[[nodiscard]] Result<Signature> sign(std::string_view private_key, std::string_view text);
/// The fingerprint of the signing key. `corrupt` if the signature does not match the text.
[[nodiscard]] Result<std::string> check_signature(const Signature& signature,
                                                  std::string_view text);
/// Whether one of these keys (PEM text) made the signature. `invalid` if one is not an Ed25519
/// public key.
[[nodiscard]] Result<bool> is_by_one_of(std::span<const std::string> public_keys,
                                        const Signature& signature);
/// "SHA256:" and the digest of the public key. The PEM text may be of either half of the key.
/// `invalid` for any other text.
[[nodiscard]] Result<std::string> fingerprint_of(std::string_view pem);

}  // namespace pawl::codec
