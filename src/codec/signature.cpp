#include "codec/signature.hpp"

#include <array>
#include <memory>
#include <vector>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "codec/base64.hpp"
#include "pawl/codec/digest.hpp"

namespace pawl::codec {
namespace {

constexpr std::size_t key_bytes = 32;
constexpr std::size_t signature_bytes = 64;
/// Prevents a signature of an export from being valid for anything else.
constexpr std::string_view signed_prefix = "pawl export signature 1\n";

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Context = std::unique_ptr<EVP_MD_CTX, Free>;
using Bio = std::unique_ptr<BIO, Free>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

Bio reader_of(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// Never asks for a passphrase, because a program may write the export.
int no_passphrase(char*, int, int, void*) { return -1; }

bool is_ed25519(const Key& key) {
  return key != nullptr && EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_ED25519;
}

/// Clears OpenSSL's error queue: errors left there would later look like errors of a connection on
/// this thread.
struct ForgetErrors {
  ForgetErrors() = default;
  ForgetErrors(const ForgetErrors&) = delete;
  ForgetErrors& operator=(const ForgetErrors&) = delete;
  ~ForgetErrors() { ERR_clear_error(); }
};

Key private_key_of(std::string_view pem) {
  const ForgetErrors at_end;
  Key key(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_passphrase, nullptr));
  return is_ed25519(key) ? std::move(key) : Key();
}

Key public_key_of(std::string_view pem) {
  const ForgetErrors at_end;
  Key key(PEM_read_bio_PUBKEY(reader_of(pem).get(), nullptr, no_passphrase, nullptr));
  return is_ed25519(key) ? std::move(key) : Key();
}

std::string raw_public(const Key& key) {
  std::array<unsigned char, key_bytes> raw{};
  std::size_t length = raw.size();
  require(EVP_PKEY_get_raw_public_key(key.get(), raw.data(), &length) == 1 && length == key_bytes,
          "an Ed25519 key has a public part of 32 bytes");
  return {raw.begin(), raw.end()};
}

std::string fingerprint(const Key& key) {
  unsigned char* der = nullptr;
  const int length = i2d_PUBKEY(key.get(), &der);
  require(length > 0, "a public key can be written as DER");
  const std::string text(reinterpret_cast<const char*>(der), static_cast<std::size_t>(length));
  OPENSSL_free(der);
  return "SHA256:" + sha256_hex(text);
}

std::string message_of(std::string_view text) {
  return std::string(signed_prefix) + std::string(text);
}

}  // namespace

Result<Signature> sign(std::string_view private_key, std::string_view text) {
  const Key key = private_key_of(private_key);
  if (!key) {
    return fail(ErrorCode::invalid,
                "the signing key is not an Ed25519 private key in PEM form without a passphrase",
                "make one: openssl genpkey -algorithm ed25519 -out key.pem");
  }
  const std::string message = message_of(text);
  const Context context(EVP_MD_CTX_new());
  std::array<unsigned char, signature_bytes> made{};
  std::size_t length = made.size();
  const bool done =
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestSign(context.get(), made.data(), &length, bytes_of(message), message.size()) == 1;
  require(done && length == signature_bytes, "an Ed25519 key signs");
  return Signature{.public_key = to_base64(raw_public(key)),
                   .value = to_base64(std::string(made.begin(), made.end()))};
}

Result<std::string> check_signature(const Signature& signature, std::string_view text) {
  const std::optional<std::string> raw = from_base64(signature.public_key);
  const std::optional<std::string> value = from_base64(signature.value);
  if (!raw || raw->size() != key_bytes || !value || value->size() != signature_bytes) {
    return fail(ErrorCode::invalid, "not an Ed25519 signature");
  }
  const ForgetErrors at_end;
  const Key key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(*raw), raw->size()));
  const std::string message = message_of(text);
  const Context context(EVP_MD_CTX_new());
  const bool is_good =
      key != nullptr &&
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
      EVP_DigestVerify(context.get(), bytes_of(*value), value->size(), bytes_of(message),
                       message.size()) == 1;
  if (!is_good) {
    return fail(
        ErrorCode::corrupt,
        "the signature does not match this export: the file was changed after it was signed",
        "get the file again from the place where it was signed");
  }
  return fingerprint(key);
}

Result<bool> is_by_one_of(std::span<const std::string> public_keys, const Signature& signature) {
  bool found = false;
  for (const std::string& pem : public_keys) {
    const Key key = public_key_of(pem);
    if (!key) {
      return fail(ErrorCode::invalid, "a trusted key is not an Ed25519 public key in PEM form",
                  "make it from the private one: openssl pkey -in key.pem -pubout");
    }
    if (to_base64(raw_public(key)) == signature.public_key) found = true;
  }
  return found;
}

Result<std::string> fingerprint_of(std::string_view pem) {
  Key key = public_key_of(pem);
  if (!key) key = private_key_of(pem);
  if (!key) return fail(ErrorCode::invalid, "not an Ed25519 key in PEM form");
  return fingerprint(key);
}

}  // namespace pawl::codec
