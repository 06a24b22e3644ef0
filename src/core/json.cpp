#include "pawl/core/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace pawl {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

bool is_between(unsigned char byte, unsigned low, unsigned high) {
  return byte >= low && byte <= high;
}

/// What stands at the start of `text`: a whole character, or the longest piece of a broken one.
struct Piece {
  std::size_t length = 1;
  bool is_whole = false;
};

/// The well-formed byte sequences of UTF-8: no overlong forms, no surrogates, nothing past
/// U+10FFFF. Only the second byte's range depends on the first.
Piece first_piece(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
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

bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

void append_control(std::string& out, unsigned char c) {
  constexpr std::string_view hex = "0123456789abcdef";
  out += "\\u00";
  out += hex[c >> 4];
  out += hex[c & 0xF];
}

void append_ascii(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 0x20) {
    append_control(out, static_cast<unsigned char>(c));
  } else {
    out += c;
  }
}

template <class Members>
std::string object_text(const Members& members) {
  std::string text = "{";
  for (const auto& [name, value] : members) {
    if (text.size() > 1) text += ',';
    append_quoted(text, name);
    text += ':';
    text += value.text();
  }
  text += '}';
  return text;
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    // Most texts need nothing but to be copied.
    const std::size_t plain =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Piece piece = first_piece(text);
    if (!piece.is_whole) {
      out += replacement;
    } else if (piece.length == 1) {
      append_ascii(out, text.front());
    } else {
      out += text.substr(0, piece.length);
    }
    text.remove_prefix(piece.length);
  }
  out += '"';
}

Json::Json(const char* text) {
  if (text != nullptr) *this = Json(std::string_view(text));
}

Json::Json(std::string_view text) {
  text_.clear();
  append_quoted(text_, text);
}

Json::Json(const std::string& text) : Json(std::string_view(text)) {}

Json::Json(double value) {
  if (!std::isfinite(value)) return;
  std::array<char, 40> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  text_.assign(digits.data(), end.ptr);
}

Json Json::object(std::initializer_list<std::pair<std::string_view, Json>> members) {
  return trusted(object_text(members));
}

Json Json::object(std::span<const std::pair<std::string, Json>> members) {
  return trusted(object_text(members));
}

Json Json::array(std::initializer_list<Json> elements) {
  return array(std::span<const Json>(elements.begin(), elements.size()));
}

Json Json::array(std::span<const Json> elements) {
  std::string text = "[";
  for (const Json& element : elements) {
    if (text.size() > 1) text += ',';
    text += element.text();
  }
  text += ']';
  return trusted(std::move(text));
}

Json Json::trusted(std::string text) {
  Json json;
  json.text_ = std::move(text);
  return json;
}

}  // namespace pawl
