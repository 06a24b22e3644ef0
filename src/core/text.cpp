#include "pawl/core/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <utility>

#include "core/utf8.hpp"

namespace pawl {
namespace {

constexpr std::uint64_t each_byte = 0x0101010101010101U;
constexpr std::uint64_t highest_bits = 0x80 * each_byte;

/// Sets the highest bit of a byte that is NUL or not ASCII: subtracting 1 from NUL borrows and sets
/// it, and a byte outside ASCII has it anyway.
std::uint64_t special(std::uint64_t eight) noexcept { return (eight - each_byte) | eight; }
bool has_special(std::uint64_t eight) noexcept { return (special(eight) & highest_bits) != 0; }

std::uint64_t eight_bytes(const char* from) noexcept {
  std::uint64_t eight = 0;
  std::memcpy(&eight, from, sizeof eight);
  return eight;
}

/// Whether all bytes are ASCII and none is NUL or `stop`, if one is given. Most texts are like
/// that, so eight bytes are checked at a time.
template <char stop = '\0'>
bool is_plain(std::string_view bytes) noexcept {
  const auto found_in = [](const char* at) {
    const std::uint64_t eight = eight_bytes(at);
    // The exclusive or turns a stop byte into NUL.
    return special(eight) |
           (stop == '\0' ? 0
                         : (eight ^ (each_byte * static_cast<unsigned char>(stop))) - each_byte);
  };
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  if (left < 8) {
    return std::ranges::all_of(bytes, [](char c) {
      return static_cast<unsigned char>(c - 1) < 0x7F && (stop == '\0' || c != stop);
    });
  }
  std::uint64_t found = 0;
  for (; left >= 32; at += 32, left -= 32) {
    found = found_in(at) | found_in(at + 8) | found_in(at + 16) | found_in(at + 24);
    if ((found & highest_bits) != 0) return false;
  }
  for (; left > 8; at += 8, left -= 8) found |= found_in(at);
  found |= found_in(at + left - 8);  // checks some bytes twice
  return (found & highest_bits) == 0;
}

/// The length of the longest prefix that is valid text.
std::size_t valid_length(std::string_view bytes) noexcept {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (at + 8 <= bytes.size() && !has_special(eight_bytes(bytes.data() + at))) {
      at += 8;
      continue;
    }
    if (bytes[at] == '\0') return at;
    const Utf8Piece piece = first_piece(bytes.substr(at));
    if (!piece.is_whole) return at;
    at += piece.length;
  }
  return at;
}

/// The value of the four hexadecimal digits after "\u", or 0.
std::uint32_t unit_at(std::string_view text, std::size_t backslash) noexcept {
  if (text.substr(std::min(backslash, text.size()), 2) != "\\u") return 0;
  const std::string_view digits = text.substr(std::min(backslash + 2, text.size()), 4);
  std::uint32_t unit = 0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  return fault == std::errc{} && end == digits.data() + 4 ? unit : 0;
}

constexpr std::size_t unit_bytes = 6;  // the length of \uXXXX

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

/// The position of the next escape of a lone surrogate. `at` must not be inside an escape.
std::size_t lone_surrogate(std::string_view text, std::size_t at) noexcept {
  while (true) {
    at = text.find('\\', at);
    if (at == std::string_view::npos) return at;
    const std::uint32_t unit = unit_at(text, at);
    if (is_low_surrogate(unit)) return at;
    if (is_high_surrogate(unit)) {
      if (!is_low_surrogate(unit_at(text, at + unit_bytes))) return at;
      at += 2 * unit_bytes;
    } else {
      at += 2;  // also skips an escaped backslash, which does not escape what follows
    }
  }
}

/// Kept out of line, because nearly all JSON is valid.
[[gnu::noinline]] void repair(Json& json) {
  const std::string bytes = valid_text(json.text());
  std::string text;
  text.reserve(bytes.size());
  std::size_t copied = 0;
  for (std::size_t lone = lone_surrogate(bytes, 0); lone != std::string::npos;
       lone = lone_surrogate(bytes, copied)) {
    text.append(bytes, copied, lone - copied);
    text += replacement_character;
    copied = lone + unit_bytes;
  }
  text.append(bytes, copied);
  json = Json::trusted(std::move(text));
}

}  // namespace

bool is_valid_text(std::string_view bytes) noexcept {
  return is_plain(bytes) || valid_length(bytes) == bytes.size();
}

std::string valid_text(std::string bytes) {
  if (is_plain(bytes)) return bytes;
  std::size_t valid = valid_length(bytes);
  if (valid == bytes.size()) return bytes;
  std::string text;
  text.reserve(bytes.size() + 2 * replacement_character.size());
  std::string_view rest = bytes;
  while (true) {
    text += rest.substr(0, valid);
    rest.remove_prefix(valid);
    if (rest.empty()) return text;
    text += replacement_character;
    rest.remove_prefix(first_piece(rest).length);
    valid = valid_length(rest);
  }
}

void make_text_valid(std::string& text) {
  if (!is_valid_text(text)) text = valid_text(std::move(text));
}

bool has_valid_strings(const Json& json) noexcept {
  const std::string& text = json.text();
  if (is_plain<'\\'>(text)) return true;
  return is_valid_text(text) && lone_surrogate(text, 0) == std::string_view::npos;
}

Json with_valid_strings(Json json) {
  make_text_valid(json);
  return json;
}

void make_text_valid(Json& json) {
  if (!has_valid_strings(json)) repair(json);
}

}  // namespace pawl
