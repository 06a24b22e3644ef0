#pragma once

/// What is stored of a log of any length: its beginning and its end, and between them a line that
/// says how much was left out. Also masks secrets, even if they arrive in pieces.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::actions {

/// Replaces secrets by ***, also where they are escaped as in JSON, and even if one arrives in two
/// pieces.
class Mask {
 public:
  Mask() = default;
  /// Empty secrets are ignored.
  explicit Mask(std::vector<std::string> secrets);

  /// The whole text, masked.
  [[nodiscard]] std::string whole(std::string_view text) const;

  /// The part of the masked text that is certain after this piece.
  [[nodiscard]] std::string feed(std::string_view piece);
  /// The rest.
  [[nodiscard]] std::string finish();

 private:
  [[nodiscard]] std::string take(bool is_last);

  std::vector<std::string> secrets_;  ///< longest first
  std::string pending_;
};

/// Keeps at most `bytes_max`: the first half and the last half.
class LogText {
 public:
  explicit LogText(std::size_t bytes_max);

  void append(std::string_view piece);

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_cut() const;
  /// The text; if it was cut, with the line "… 49,000,000 bytes left out …".
  [[nodiscard]] std::string text() const;

 private:
  std::size_t head_max_;
  std::size_t tail_max_;
  std::string head_;
  std::string tail_;  ///< trimmed only now and then, so it may be longer than tail_max_
  std::int64_t bytes_ = 0;
};

/// What a stored log still has after its first `printed` bytes. `text` is what LogText keeps of a
/// log of `bytes`, or the end of it. Bytes that are missing in between are counted in a line.
[[nodiscard]] std::string stored_after(std::string_view text, std::int64_t bytes,
                                       std::int64_t printed);

/// The last `bytes_max` bytes, beginning with a whole character.
[[nodiscard]] std::string tail_of(std::string_view text, std::size_t bytes_max);
/// The last line that is not blank, trimmed and at most `bytes_max` long.
[[nodiscard]] std::string last_line(std::string_view text, std::size_t bytes_max = 500);

}  // namespace pawl::actions
