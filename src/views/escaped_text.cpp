#include "views/escaped_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <optional>

#include "core/utf8.hpp"
#include "text/utf8.hpp"

namespace pawl::views {

using text::append_utf8;
using text::Character;
using text::first_character;
using text::is_unprintable;

namespace {

std::string hexadecimal(std::string_view prefix, unsigned number, int digits) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%0*x", digits, number);
  return std::string(prefix) + text.data();
}

/// The JSON escape of a character; two escapes beyond U+FFFF.
std::string escape_of(char32_t code) {
  switch (code) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      break;
  }
  if (code <= 0xFFFF) return hexadecimal("\\u", code, 4);
  const char32_t above = code - 0x10000;
  return hexadecimal("\\u", 0xD800 + (above >> 10U), 4) +
         hexadecimal("\\u", 0xDC00 + (above & 0x3FFU), 4);
}

/// Whether the text is plain ASCII, which needs no escapes.
bool is_plain(std::string_view text, bool keeps_lines) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 0x20 && c < 0x7F) || (keeps_lines && (c == '\n' || c == '\t'));
  });
}

std::string made_visible(std::string_view text, bool keeps_lines) {
  if (is_plain(text, keeps_lines)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_character(text);
    const bool is_kept = keeps_lines && (character.code == U'\n' || character.code == U'\t');
    if (!character.is_valid) {
      out += replacement_character;
    } else if (!is_kept && is_unprintable(character.code)) {
      out += escape_of(character.code);
    } else {
      out += text.substr(0, character.bytes);
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

/// Removes this many hexadecimal digits from the text and returns their value.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t digits) {
  unsigned number = 0;
  const std::string_view part = text.substr(0, digits);
  const auto read = std::from_chars(part.data(), part.data() + part.size(), number, 16);
  const bool is_whole = part.size() == digits && read.ptr == part.data() + part.size();
  if (!is_whole || read.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(digits);
  return number;
}

/// Reads the character after "\u". A character beyond U+FFFF is two escapes.
std::optional<char32_t> take_character(std::string_view& text) {
  const std::optional<unsigned> first = take_digits(text, 4);
  if (!first || (*first >= 0xDC00 && *first <= 0xDFFF)) return std::nullopt;
  if (*first < 0xD800 || *first > 0xDFFF) return *first;
  if (!text.starts_with("\\u")) return std::nullopt;
  text.remove_prefix(2);
  const std::optional<unsigned> second = take_digits(text, 4);
  if (!second || *second < 0xDC00 || *second > 0xDFFF) return std::nullopt;
  return 0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00);
}

/// Reads one escape, after its backslash. Returns false if it is not an escape.
bool take_escape(std::string_view& text, std::string& out) {
  if (text.empty()) return false;
  const char kind = text.front();
  text.remove_prefix(1);
  switch (kind) {
    case '\\':
    case '/':
    case '"':
      out += kind;
      return true;
    case 'b':
      out += '\b';
      return true;
    case 'f':
      out += '\f';
      return true;
    case 'n':
      out += '\n';
      return true;
    case 'r':
      out += '\r';
      return true;
    case 't':
      out += '\t';
      return true;
    case 'x':
      if (const std::optional<unsigned> byte = take_digits(text, 2)) {
        out += static_cast<char>(*byte);
        return true;
      }
      return false;
    case 'u':
      if (const std::optional<char32_t> code = take_character(text)) {
        append_utf8(out, *code);
        return true;
      }
      return false;
    default:
      return false;
  }
}

}  // namespace

std::string printable(std::string_view text) { return made_visible(text, false); }
std::string printable_lines(std::string_view text) { return made_visible(text, true); }

std::string id_part(std::string_view text) { return id_part(text, {}); }

std::string id_part(std::string_view text, std::string_view also) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = first_character(text.substr(at));
    const char32_t code = character.code;
    const bool is_first = at == 0;
    const bool is_last = at + character.bytes == text.size();
    const bool is_lost = (code == U' ' && (is_first || is_last)) || (code == U'-' && is_first);
    const bool is_named = code < 0x80 && also.contains(static_cast<char>(code));
    if (!character.is_valid) {
      out += hexadecimal("\\x", static_cast<unsigned char>(text[at]), 2);
    } else if (code == U'\\') {
      out += "\\\\";
    } else if (code == U'/' && is_named) {
      out += "\\/";
    } else if (is_lost || is_named || is_unprintable(code)) {
      out += escape_of(code);
    } else {
      out += text.substr(at, character.bytes);
    }
    at += character.bytes;
  }
  return out;
}

std::string id_part_with_escape(std::string_view text) {
  const Character first = first_character(text);
  if (!first.is_valid || text.empty()) return id_part(text);
  return escape_of(first.code) + id_part(text.substr(first.bytes));
}

Result<std::string> read_id_part(std::string_view text) {
  const std::string_view whole = text;
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t plain = std::min(text.find('\\'), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    text.remove_prefix(1);
    if (!take_escape(text, out)) {
      return pawl::fail(ErrorCode::invalid,
                        "'" + printable(whole) + "' has a backslash that does not begin an escape",
                        "write a backslash as \\\\; to copy an id, list it with -q");
    }
  }
  return out;
}

std::string quoted_for_shell(std::string_view text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 || std::string_view("_-./:,+@%").contains(c);
  });
  if (is_plain) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::size_t find_unescaped(std::string_view text, char wanted, std::size_t from) {
  for (std::size_t at = from; at < text.size(); ++at) {
    if (text[at] == wanted) return at;
    if (text[at] == '\\') ++at;
  }
  return std::string_view::npos;
}

}  // namespace pawl::views
