#pragma once

/// The characters of a text in UTF-8. What is valid is defined once, in "core/utf8.hpp".

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::text {

/// One character; `bytes` is 0 at the end. An invalid character is a single byte.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
  bool is_valid = true;
};
[[nodiscard]] Character first_character(std::string_view text);

/// Unlike `is_valid_text`, it accepts NUL.
[[nodiscard]] bool is_utf8(std::string_view bytes);

/// False for the second and later bytes of a character.
[[nodiscard]] constexpr bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}
[[nodiscard]] std::size_t count_characters(std::string_view text);
/// At most `bytes_max` bytes, without a part of a character at the end.
[[nodiscard]] std::string_view beginning_of(std::string_view text, std::size_t bytes_max);

void append_utf8(std::string& out, char32_t code);

/// Characters that control the terminal instead of being displayed, or that hide what a text says:
/// control characters, direction changes, line separators, tags, and invisible formatting. The
/// joiners that scripts and emoji need (U+200C, U+200D) are not among them.
[[nodiscard]] bool is_unprintable(char32_t code);

/// How many terminal columns the character takes: 0, 1 or 2.
[[nodiscard]] std::uint32_t columns_of(char32_t code);

}  // namespace pawl::text
