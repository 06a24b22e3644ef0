#include "pawl/codec/rfc3339.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pawl {
namespace {

// The years that RFC 3339 can represent.
constexpr Timestamp earliest = std::chrono::sys_days{std::chrono::January / 1 / 0};
constexpr Timestamp latest =
    Timestamp{std::chrono::sys_days{std::chrono::January / 1 / 10'000}} - Duration{1};

void append_padded(std::string& out, std::int64_t value, std::size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) out.append(width - digits.size(), '0');
  out += digits;
}

/// Takes pieces off the front of a text. After the first piece that does not fit, nothing fits.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  int number(std::size_t width) {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (!next_is_digit()) {
        fits_ = false;
        return 0;
      }
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  /// Takes one of these characters and returns it.
  char one_of(std::string_view these) {
    if (rest_.empty() || these.find(rest_.front()) == std::string_view::npos) {
      fits_ = false;
      return '\0';
    }
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Takes any number of digits after the point and returns microseconds.
  std::int64_t fraction() {
    if (!next_is_digit()) fits_ = false;
    std::int64_t micros = 0;
    for (std::int64_t unit = 100'000; next_is_digit(); unit /= 10) {
      micros += unit * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return micros;
  }
  [[nodiscard]] bool all_fit() const { return fits_ && rest_.empty(); }

 private:
  [[nodiscard]] bool next_is_digit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  std::string_view rest_;
  bool fits_ = true;
};

std::optional<Timestamp> moment(std::string_view text) {
  Pieces pieces(text);
  const std::chrono::year year{pieces.number(4)};
  pieces.one_of("-");
  const std::chrono::month month{static_cast<unsigned>(pieces.number(2))};
  pieces.one_of("-");
  const std::chrono::day day{static_cast<unsigned>(pieces.number(2))};
  pieces.one_of("Tt ");
  const int hour = pieces.number(2);
  pieces.one_of(":");
  const int minute = pieces.number(2);
  pieces.one_of(":");
  const int second = pieces.number(2);
  const std::int64_t micros = pieces.take('.') ? pieces.fraction() : 0;
  std::chrono::minutes offset{0};
  if (const char sign = pieces.one_of("Zz+-"); sign == '+' || sign == '-') {
    const int hours = pieces.number(2);
    pieces.one_of(":");
    const int minutes = pieces.number(2);
    if (hours > 23 || minutes > 59) return std::nullopt;
    offset = std::chrono::minutes{(hours * 60 + minutes) * (sign == '-' ? -1 : 1)};
  }
  const std::chrono::year_month_day date{year, month, day};
  if (!pieces.all_fit() || !date.ok() || hour > 23 || minute > 59 || second > 59) {
    return std::nullopt;
  }
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second} + Duration{micros} - offset;
}

}  // namespace

std::string rfc3339(Timestamp time) {
  time = std::clamp(time, earliest, latest);
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  std::string out;
  append_padded(out, static_cast<int>(date.year()), 4);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.month()), 2);
  out += '-';
  append_padded(out, static_cast<unsigned>(date.day()), 2);
  out += 'T';
  append_padded(out, clock.hours().count(), 2);
  out += ':';
  append_padded(out, clock.minutes().count(), 2);
  out += ':';
  append_padded(out, clock.seconds().count(), 2);
  if (const std::int64_t micros = clock.subseconds().count(); micros != 0) {
    out += '.';
    const bool is_whole_millis = micros % 1'000 == 0;
    append_padded(out, is_whole_millis ? micros / 1'000 : micros, is_whole_millis ? 3 : 6);
  }
  out += 'Z';
  return out;
}

Result<Timestamp> parse_rfc3339(std::string_view text) {
  if (const auto time = moment(text)) return *time;
  return fail(ErrorCode::invalid, "'" + std::string(text) + "' is not a time",
              "write it as 2026-03-01T12:04:11Z");
}

}  // namespace pawl
