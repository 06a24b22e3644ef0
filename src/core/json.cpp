#include "pawl/core/json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/utf8.hpp"

namespace pawl {
namespace {

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
    // Most texts need no escapes and can be copied as they are.
    const std::size_t plain =
        static_cast<std::size_t>(std::ranges::find_if_not(text, is_plain) - text.begin());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Utf8Piece piece = first_piece(text);
    if (!piece.is_whole) {
      out += replacement_character;
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
