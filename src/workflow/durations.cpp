#include "workflow/durations.hpp"

#include <charconv>
#include <chrono>
#include <cmath>
#include <string>

namespace pawl::workflow {
namespace {

constexpr Duration longest = std::chrono::hours(24 * 365 * 100);

std::optional<Duration> unit(std::string_view name) {
  using namespace std::chrono_literals;
  if (name == "ms") return 1ms;
  if (name == "s") return 1s;
  if (name == "m") return 1min;
  if (name == "h") return 1h;
  if (name == "d") return 24h;
  return std::nullopt;
}

/// Takes digits with at most one point between them off the front of `text`.
std::optional<double> take_number(std::string_view& text) {
  std::size_t length = 0;
  std::size_t points = 0;
  while (length < text.size()) {
    const char c = text[length];
    if (c == '.') ++points;
    if (c != '.' && (c < '0' || c > '9')) break;
    ++length;
  }
  const std::string_view digits = text.substr(0, length);
  if (digits.empty() || points > 1 || digits.front() == '.' || digits.back() == '.') {
    return std::nullopt;
  }
  double value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(length);
  return value;
}

}  // namespace

std::optional<Duration> parse_duration(std::string_view text) {
  const std::optional<double> number = take_number(text);
  const std::optional<Duration> one = unit(text);
  if (!number || !one) return std::nullopt;
  const double count = *number * static_cast<double>(one->count());
  if (!(count <= static_cast<double>(longest.count()))) return std::nullopt;
  return Duration(std::llround(count));
}

std::optional<Rate> parse_rate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const std::string_view digits = text.substr(0, slash);
  Rate rate;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), rate.count);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return std::nullopt;
  const std::string_view per = text.substr(slash + 1);
  const std::optional<Duration> one = per == "ms" ? std::nullopt : unit(per);
  if (rate.count == 0 || !one) return std::nullopt;
  rate.per = *one;
  return rate;
}

std::optional<double> parse_percentage(std::string_view text) {
  const std::optional<double> number = take_number(text);
  if (!number || text != "%" || *number > 100.0) return std::nullopt;
  return number;
}

}  // namespace pawl::workflow
