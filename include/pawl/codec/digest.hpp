#pragma once

/// SHA-256, in lower-case hex.

#include <memory>
#include <string>
#include <string_view>

namespace pawl {

[[nodiscard]] std::string sha256_hex(std::string_view bytes);

/// The digest of bytes that arrive in pieces. Not for use by several threads at once.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&& other) noexcept;
  Sha256& operator=(Sha256&& other) noexcept;
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  Sha256& update(std::string_view bytes);
  /// The digest of all bytes so far; afterwards the object starts afresh.
  [[nodiscard]] std::string finish_hex();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pawl
