#include "text/utf8.hpp"

#include <algorithm>
#include <array>

#include "core/utf8.hpp"

namespace pawl::text {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

bool is_in(char32_t code, const auto& ranges) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return code >= range.first && code <= range.last; });
}

constexpr std::array<Range, 13> unprintable{{{0x0000, 0x001F},
                                             {0x007F, 0x009F},
                                             {0x061C, 0x061C},
                                             {0x180E, 0x180E},
                                             {0x200B, 0x200B},
                                             {0x200E, 0x200F},
                                             {0x2028, 0x202E},
                                             {0x2060, 0x206F},
                                             {0xFEFF, 0xFEFF},
                                             {0xFFF9, 0xFFFB},
                                             {0x1BCA0, 0x1BCA3},
                                             {0x1D173, 0x1D17A},
                                             {0xE0000, 0xE007F}}};
// Combining marks, and joiners.
constexpr std::array<Range, 9> narrowest{{{0x0300, 0x036F},
                                          {0x0483, 0x0489},
                                          {0x0591, 0x05BD},
                                          {0x064B, 0x065F},
                                          {0x1AB0, 0x1AFF},
                                          {0x200B, 0x200F},
                                          {0x20D0, 0x20FF},
                                          {0xFE00, 0xFE0F},
                                          {0xFE20, 0xFE2F}}};
// Wide East Asian characters, and emoji.
constexpr std::array<Range, 9> widest{{{0x1100, 0x115F},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFE30, 0xFE6F},
                                       {0xFF00, 0xFF60},
                                       {0xFFE0, 0xFFE6},
                                       {0x1F300, 0x1FAFF}}};

}  // namespace

Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const Utf8Piece piece = first_piece(text);
  if (!piece.is_whole) return {.code = U'\uFFFD', .bytes = 1, .is_valid = false};
  const auto lead = static_cast<unsigned char>(text.front());
  if (piece.length == 1) return {.code = lead, .bytes = 1};
  char32_t code = lead & (0xFFU >> (piece.length + 1));
  for (const char c : text.substr(1, piece.length - 1)) {
    code = (code << 6U) | (static_cast<unsigned char>(c) & 0x3FU);
  }
  return {.code = code, .bytes = piece.length};
}

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const Utf8Piece piece = first_piece(bytes);
    if (!piece.is_whole) return false;
    bytes.remove_prefix(piece.length);
  }
  return true;
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string_view beginning_of(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  while (bytes_max > 0 && !begins_character(text[bytes_max])) --bytes_max;
  return text.substr(0, bytes_max);
}

void append_utf8(std::string& out, char32_t code) {
  const auto continuation = [&](unsigned shift) {
    out += static_cast<char>(0x80U | ((code >> shift) & 0x3FU));
  };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | (code >> 6U));
    continuation(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0U | (code >> 12U));
    continuation(6);
    continuation(0);
  } else {
    out += static_cast<char>(0xF0U | (code >> 18U));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

bool is_unprintable(char32_t code) {
  const bool is_plain = code >= 0x20 && code < 0x7F;
  return !is_plain && is_in(code, unprintable);
}

std::uint32_t columns_of(char32_t code) {
  if (code < 0x300) return 1;
  if (is_in(code, narrowest)) return 0;
  return is_in(code, widest) || (code >= 0x20000 && code <= 0x3FFFD) ? 2 : 1;
}

}  // namespace pawl::text
