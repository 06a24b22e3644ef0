#pragma once

/// SHA-256, in lower-case hex.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace pawl {

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

inline constexpr std::size_t sha256_hex_digits = 64;
/// Whether a text has the form of a result of `sha256_hex`.
[[nodiscard]] bool is_sha256_hex(std::string_view text);

/// The digest of bytes that arrive in pieces. Not thread-safe.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&& other) noexcept;
  Sha256& operator=(Sha256&& other) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  Sha256& update(std::string_view bytes);
  /// The digest of all bytes so far. Resets the object.
  [[nodiscard]] std::string finish_hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pawl
