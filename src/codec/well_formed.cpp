#include "codec/well_formed.hpp"

#include <cstddef>
#include <string>

namespace pawl {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// Passes over one value, without recursion: what is open stands in a string of brackets.
class Check {
 public:
  explicit Check(std::string_view text) : text_(text) {}

  bool run() {
    do {
      pass_space();
      if (!pass_value()) return false;
    } while (!open_.empty());
    pass_space();
    return at_ == text_.size();
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool take(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void pass_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  /// A value with everything up to where the next one begins.
  bool pass_value() {
    switch (peek()) {
      case '{':
        ++at_;
        pass_space();
        if (take('}')) return pass_closings();
        open_ += '{';
        return pass_key();
      case '[':
        ++at_;
        pass_space();
        if (take(']')) return pass_closings();
        open_ += '[';
        return true;
      case '"':
        return pass_string() && pass_closings();
      case 't':
        return take("true") && pass_closings();
      case 'f':
        return take("false") && pass_closings();
      case 'n':
        return take("null") && pass_closings();
      default:
        return pass_number() && pass_closings();
    }
  }

  bool pass_key() {
    pass_space();
    if (!pass_string()) return false;
    pass_space();
    return take(':');
  }

  /// Behind a value: a comma, or ends of what is open.
  bool pass_closings() {
    while (!open_.empty()) {
      pass_space();
      const bool is_object = open_.back() == '{';
      if (take(',')) return !is_object || pass_key();
      if (!take(is_object ? '}' : ']')) return false;
      open_.pop_back();
    }
    return true;
  }

  bool pass_digits() {
    if (!is_digit(peek())) return false;
    while (is_digit(peek())) ++at_;
    return true;
  }
  bool pass_number() {
    take('-');
    if (!take('0') && !pass_digits()) return false;
    if (take('.') && !pass_digits()) return false;
    if (!take('e') && !take('E')) return true;
    if (!take('+')) take('-');
    return pass_digits();
  }

  bool pass_string() {
    if (!take('"')) return false;
    while (at_ < text_.size()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c < 0x20) return false;
      if (c == '\\') {
        if (!pass_escape()) return false;
      } else if (c < 0x80) {
        ++at_;
      } else if (!pass_character()) {
        return false;
      }
    }
    return false;
  }
  bool pass_escape() {
    ++at_;
    if (take('u')) {
      for (int i = 0; i < 4; ++i, ++at_) {
        if (!is_hex(peek())) return false;
      }
      return true;
    }
    return at_ < text_.size() &&
           std::string_view("\"\\/bfnrt").find(text_[at_++]) != std::string_view::npos;
  }
  /// Of more than one byte: no overlong form, no surrogate, nothing past U+10FFFF.
  bool pass_character() {
    const auto byte = [this](std::size_t i) {
      return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0U;
    };
    const unsigned lead = byte(0);
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return false;
    for (std::size_t i = 1; i < length; ++i) {
      if ((byte(i) & 0xC0U) != 0x80) return false;
    }
    const unsigned second = byte(1);
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
        (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
      return false;
    }
    at_ += length;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;
};

}  // namespace

bool is_well_formed_json(std::string_view text) { return Check(text).run(); }

}  // namespace pawl
