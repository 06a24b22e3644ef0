// What failures of one kind share.

#include <algorithm>

#include "pawl/codec/names.hpp"
#include "pawl/store/dead_letters.hpp"
#include "text/utf8.hpp"

namespace pawl {

namespace {

constexpr std::size_t signature_message_max = 200;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_digit(c) || is_letter(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// Rewrites a message piece by piece, putting aside what differs from one failure to the next.
class Normaliser {
 public:
  explicit Normaliser(std::string_view text) : text_(text) {}

  std::string run() {
    while (place_ < text_.size() && out_.size() < signature_message_max) step();
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    return std::move(out_);
  }

 private:
  [[nodiscard]] bool at_word_start() const { return place_ == 0 || !is_word(text_[place_ - 1]); }

  void step() {
    const char c = text_[place_];
    if (is_space(c)) {
      while (place_ < text_.size() && is_space(text_[place_])) ++place_;
      if (!out_.empty()) out_ += ' ';
    } else if ((c == '"' || c == '`' || (c == '\'' && at_word_start())) && skip_quoted(c)) {
      out_ += "\"…\"";
    } else if (skip_address()) {
      out_ += "<url>";
    } else if (skip_path()) {
      out_ += "<path>";
    } else if (is_word(c)) {
      word();
    } else {
      out_ += c;
      ++place_;
    }
  }

  /// Past the closing quote; false, and no move, when there is none.
  bool skip_quoted(char quote) {
    const std::size_t end = text_.find(quote, place_ + 1);
    if (end == std::string_view::npos) return false;
    place_ = end + 1;
    return true;
  }

  void skip_to_space() {
    constexpr std::string_view enders = " \t\r\n\"'`,;()<>";
    while (place_ < text_.size() && enders.find(text_[place_]) == std::string_view::npos) ++place_;
    // A sentence's own punctuation is not part of a path.
    while (text_[place_ - 1] == '.' || text_[place_ - 1] == ':') --place_;
  }

  bool skip_address() {
    const std::string_view rest = text_.substr(place_);
    if (!at_word_start() || !(rest.starts_with("http://") || rest.starts_with("https://"))) {
      return false;
    }
    place_ += 8;
    skip_to_space();
    return true;
  }

  bool skip_path() {
    constexpr std::string_view openers = " \t\r\n=:([,";
    if (place_ > 0 && !openers.contains(text_[place_ - 1])) return false;
    std::string_view rest = text_.substr(place_);
    for (const std::string_view start : {"../", "./", "~/", "/"}) {
      if (!rest.starts_with(start)) continue;
      const std::size_t next = start.size();
      if (next >= rest.size() || !(is_word(rest[next]) || rest[next] == '.')) return false;
      place_ += next + 1;
      skip_to_space();
      return true;
    }
    return false;
  }

  /// 8-4-4-4-12 hexadecimal digits.
  bool skip_uuid() {
    constexpr std::string_view shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    const std::string_view rest = text_.substr(place_, shape.size());
    const bool fits =
        rest.size() == shape.size() && std::ranges::equal(rest, shape, [](char is, char wanted) {
          return wanted == '-' ? is == '-' : is_hex(is);
        });
    if (fits) place_ += shape.size();
    return fits;
  }

  void put_number() {
    // 2026-03-01, 10:00:00 and 1.5 are one number each.
    const std::size_t size = out_.size();
    if (size >= 2 && out_[size - 2] == '#' && std::string_view(".:-,").contains(out_[size - 1])) {
      out_.pop_back();
    } else {
      out_ += '#';
    }
  }

  void word() {
    if (skip_uuid()) return put_number();
    std::size_t end = place_;
    while (end < text_.size() && is_word(text_[end])) ++end;
    std::string_view whole = text_.substr(place_, end - place_);
    place_ = end;
    const bool prefixed = whole.starts_with("0x") || whole.starts_with("0X");
    if (prefixed) whole.remove_prefix(2);
    const bool all_hex = !whole.empty() && std::ranges::all_of(whole, is_hex);
    if (all_hex && (prefixed || (whole.size() >= 6 && std::ranges::any_of(whole, is_digit)))) {
      return put_number();
    }
    for (std::size_t i = 0; i < whole.size();) {
      if (!is_digit(whole[i])) {
        out_ += whole[i++];
        continue;
      }
      while (i < whole.size() && is_digit(whole[i])) ++i;
      put_number();
    }
  }

  std::string_view text_;
  std::size_t place_ = 0;
  std::string out_;
};

/// Cut at a whole character.
void shorten(std::string& text, std::size_t size) {
  if (text.size() <= size) return;
  text.resize(text::beginning_of(text, size).size());
  text += "…";
}

}  // namespace

std::string error_signature(std::optional<ErrorClass> error_class, std::optional<ErrorKind> kind,
                            std::string_view code, std::string_view message) {
  std::string head;
  const auto put = [&](std::string_view part) {
    if (part.empty()) return;
    if (!head.empty()) head += ' ';
    head += part;
  };
  if (error_class) put(name_of(*error_class));
  if (kind) put(name_of(*kind));
  put(code);
  std::string said = Normaliser(message).run();
  shorten(said, signature_message_max);
  if (head.empty() || said.empty()) return head + said;
  return head + ": " + said;
}

}  // namespace pawl
