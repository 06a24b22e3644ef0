#pragma once

/// Reads UTF-8 one character at a time.

#include <cstddef>
#include <string_view>

namespace pawl {

inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";  // U+FFFD

/// The start of a text: a whole character, or the longest piece of a broken one.
struct Utf8Piece {
  std::size_t length = 1;
  bool is_whole = false;
};

/// Accepts only well-formed UTF-8: no overlong forms, no surrogates, nothing past U+10FFFF. Only
/// the range of the second byte depends on the first. REQUIRES: `text` is not empty.
[[nodiscard]] inline Utf8Piece first_piece(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto is_between = [](unsigned char one, unsigned low, unsigned high) {
    return one >= low && one <= high;
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {.length = 1, .is_whole = true};

  std::size_t length = 0;
  unsigned low = 0x80;
  unsigned high = 0xBF;
  if (is_between(lead, 0xC2, 0xDF)) {
    length = 2;
  } else if (is_between(lead, 0xE0, 0xEF)) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (is_between(lead, 0xF0, 0xF4)) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {.length = 1, .is_whole = false};
  }
  for (std::size_t i = 1; i < length; ++i) {
    if (i >= text.size() || !is_between(byte(i), low, high)) {
      return {.length = i, .is_whole = false};
    }
    low = 0x80;
    high = 0xBF;
  }
  return {.length = length, .is_whole = true};
}

}  // namespace pawl
