#include "text/passwords.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace pawl::text {
namespace {

constexpr std::string_view hidden = "***";
constexpr std::size_t nowhere = std::string_view::npos;

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// The hidden bytes, from `begin` to `end`.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// One line of a message.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text), lower_(lower(text)) {
    hide_settings();
    for (const std::string_view scheme : {"://", "%3a%2f%2f", "postgresql", "postgres"}) {
      for (std::size_t at = lower_.find(scheme); at != nowhere;
           at = lower_.find(scheme, at + scheme.size())) {
        hide_after_user(at + scheme.size());
      }
    }
    hide_bare();
  }

  [[nodiscard]] std::string masked() {
    std::ranges::sort(ranges_, {}, &Range::begin);
    std::string out;
    std::size_t at = 0;
    for (const Range& range : ranges_) {
      if (range.end <= at) continue;
      const std::size_t begin = std::max(at, range.begin);
      out += text_.substr(at, begin - at);
      if (!out.ends_with(hidden)) out += hidden;
      at = range.end;
    }
    return out + std::string(text_.substr(at));
  }

 private:
  void hide(std::size_t begin, std::size_t end) {
    if (begin < end) ranges_.push_back({begin, end});
  }

  [[nodiscard]] std::size_t word_end(std::size_t from) const {
    return std::min(text_.find_first_of(" \t", from), text_.size());
  }

  /// password=… or password:…, as a setting or as a parameter, also if the sign is percent-encoded.
  void hide_settings() {
    for (const std::string_view name : {"password", "passwd", "pwd"}) {
      for (std::size_t at = lower_.find(name); at != nowhere; at = lower_.find(name, at + 1)) {
        std::size_t begin = at + name.size();
        // libpq allows spaces around the sign.
        const std::size_t sign = std::min(lower_.find_first_not_of(" \t", begin), lower_.size());
        if (lower_.compare(sign, 1, "=") == 0) {
          begin = std::min(lower_.find_first_not_of(" \t", sign + 1), lower_.size());
        } else if (lower_.compare(begin, 1, ":") == 0) {
          begin += 1;
        } else if (lower_.compare(begin, 3, "%3d") == 0 || lower_.compare(begin, 3, "%3a") == 0) {
          begin += 3;
        } else {
          continue;
        }
        hide(begin, setting_end(begin));
      }
    }
  }

  /// A quoted value ends with its quote, any other at a space or the next parameter.
  [[nodiscard]] std::size_t setting_end(std::size_t begin) const {
    const bool is_quoted = begin < text_.size() && text_[begin] == '\'';
    if (!is_quoted) return std::min(text_.find_first_of(" \t&", begin), text_.size());
    const std::size_t close = text_.find('\'', begin + 1);
    return close == nowhere ? text_.size() : close + 1;
  }

  /// user:password@ after a scheme, or after the rest of one.
  void hide_after_user(std::size_t from) {
    const std::size_t begin = std::min(text_.find_first_not_of(":/\\", from), text_.size());
    if (begin == from && from < text_.size() && !lower_.substr(0, from).ends_with("://") &&
        !lower_.substr(0, from).ends_with("%2f")) {
      return;  // "postgres" as a word, or the beginning of "postgresql"
    }
    const std::size_t at_sign = text_.rfind('@');
    const bool has_user = at_sign != nowhere && at_sign > begin;
    const std::size_t colon = text_.find(':', begin);
    const std::size_t encoded = lower_.find("%3a", begin);
    if (has_user) {
      if (colon < at_sign) hide(colon + 1, at_sign);
      if (encoded < at_sign) hide(encoded + 3, at_sign);
      // A slash instead of the colon.
      const std::size_t slash = text_.find_first_of("/ ", begin);
      if (slash < at_sign) hide(slash + 1, at_sign);
      return;
    }
    // Without an @, the text after the colon is a port, or a password whose @ is missing.
    if (colon >= word_end(begin)) return;
    const std::size_t after = text_.find_first_not_of("0123456789,", colon + 1);
    const bool is_port =
        after == nowhere || std::string_view("/?:\"'`;,)]. \t").contains(text_[after]);
    if (!is_port) hide(colon + 1, word_end(colon));
  }

  /// user:password@host followed by a port or a path, without a scheme.
  void hide_bare() {
    for (std::size_t at_sign = text_.find('@'); at_sign != nowhere;
         at_sign = text_.find('@', at_sign + 1)) {
      std::size_t begin = at_sign;
      while (begin > 0 && !is_blank(text_[begin - 1])) --begin;
      const std::size_t colon = text_.find(':', begin);
      const std::size_t behind = text_.find_first_of(":/", at_sign);
      const bool has_place = behind < word_end(at_sign);
      const bool has_scheme = text_.substr(begin, at_sign - begin).contains("://");
      if (colon < at_sign && has_place && !has_scheme) hide(colon + 1, at_sign);
    }
  }

  std::string_view text_;
  std::string lower_;
  std::vector<Range> ranges_;
};

}  // namespace

std::string without_passwords(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += Line(text.substr(0, end)).masked();
    text.remove_prefix(end);
    if (text.empty()) break;
    out += '\n';
    text.remove_prefix(1);
  }
  return out;
}

bool looks_like_address(std::string_view text) {
  const std::string small = lower(text);
  const std::size_t colon = std::min(small.find(':'), small.find("%3a"));
  const bool has_password = colon != nowhere && small.find('@', colon) != nowhere;
  std::string tight = small;
  std::erase_if(tight, is_blank);
  constexpr std::array<std::string_view, 6> first{
      "host=", "hostaddr=", "port=", "dbname=", "user=", "sslmode="};
  const bool has_settings =
      tight.contains("password=") || tight.contains("passwd=") ||
      std::ranges::any_of(first, [&](std::string_view name) { return tight.starts_with(name); });
  const bool has_scheme = small.contains("://") || small.starts_with("postgres:") ||
                          small.starts_with("postgresql:") || small.starts_with("postgres//") ||
                          small.starts_with("postgresql//");
  return has_password || has_settings || has_scheme;
}

}  // namespace pawl::text
