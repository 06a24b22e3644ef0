#include "codec/scan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "text/utf8.hpp"

namespace pawl::codec {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::uint32_t hex_unit(std::string_view text, std::size_t at) {
  std::uint32_t unit = 0;
  const std::string_view digits = text.substr(std::min(at, text.size()), 4);
  std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
  return unit;
}

/// Appends the character of the \u escape whose digits start at `at`. Returns where the escape
/// ends.
std::size_t append_unit(std::string& out, std::string_view body, std::size_t at) {
  std::uint32_t code = hex_unit(body, at);
  at += 4;
  if (code >= 0xD800 && code < 0xDC00 && body.substr(std::min(at, body.size()), 2) == "\\u") {
    const std::uint32_t low = hex_unit(body, at + 2);
    code = 0x10000 + ((code - 0xD800) << 10U) + ((low - 0xDC00) & 0x3FFU);
    at += 6;
  }
  text::append_utf8(out, code);
  return at;
}

char escaped(char letter) {
  switch (letter) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    default:
      return letter;
  }
}

}  // namespace

char Scanner::peek() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Scanner::take(char c) {
  if (peek() != c || at_ == text_.size()) return false;
  ++at_;
  return true;
}

std::string_view Scanner::value() {
  const char first = peek();
  const std::size_t begin = at_;
  if (first == '"') {
    pass_string();
  } else if (first == '{' || first == '[') {
    pass_nested();
  } else {
    at_ = std::min(text_.find_first_of(",]}: \n\t\r", at_), text_.size());
  }
  return text_.substr(begin, at_ - begin);
}

void Scanner::pass_string() {
  for (++at_; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\\') {
      ++at_;
    } else if (c == '"') {
      ++at_;
      return;
    }
  }
  at_ = text_.size();
}

void Scanner::pass_nested() {
  std::size_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      pass_string();
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return;
  }
}

std::string unquoted(std::string_view quoted) {
  if (quoted.size() < 2) return {};
  const std::string_view body = quoted.substr(1, quoted.size() - 2);
  std::string out;
  out.reserve(body.size());
  std::size_t at = 0;
  while (at < body.size()) {
    const std::size_t plain = std::min(body.find('\\', at), body.size());
    out.append(body, at, plain - at);
    at = plain;
    if (at + 1 >= body.size()) break;
    const char letter = body[at + 1];
    at += 2;
    if (letter == 'u') {
      at = append_unit(out, body, at);
    } else {
      out += escaped(letter);
    }
  }
  return out;
}

std::optional<double> double_of(std::string_view digits) {
  double value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, fault] = std::from_chars(digits.data(), last, value);
  if (end != last) return std::nullopt;
  if (fault == std::errc::result_out_of_range) {
    // from_chars does not say whether the number is too large or too small; strtod does.
    value = std::strtod(std::string(digits).c_str(), nullptr);
  } else if (fault != std::errc{}) {
    return std::nullopt;
  }
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace pawl::codec
