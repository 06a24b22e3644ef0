#include "text/durations.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "text/numbers.hpp"

namespace pawl::text {
namespace {

constexpr double longest = 9e15;  // some 285 years in microseconds, and exact in a double

struct Unit {
  std::string_view name;
  std::int64_t microseconds;
};
constexpr std::array<Unit, 6> units{{{"d", 86'400'000'000},
                                     {"h", 3'600'000'000},
                                     {"m", 60'000'000},
                                     {"s", 1'000'000},
                                     {"ms", 1'000},
                                     {"us", 1}}};

std::string counted(std::int64_t number, const Unit& unit) {
  return std::to_string(number) + std::string(unit.name);
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

/// Takes a number and a unit off the front of `text`.
std::optional<Duration> take_duration(std::string_view& text) {
  const std::optional<double> number = take_number(text);
  const std::size_t length = std::min(text.find_first_of("0123456789"), text.size());
  const std::string_view name = text.substr(0, length);
  const std::optional<Duration> unit = name == "us" ? std::nullopt : unit_of_time(name);
  if (!number || !unit) return std::nullopt;
  text.remove_prefix(length);
  return duration_of(*number, *unit);
}

}  // namespace

std::optional<Duration> unit_of_time(std::string_view name) {
  const auto* const found = std::ranges::find(units, name, &Unit::name);
  if (found == units.end()) return std::nullopt;
  return Duration{found->microseconds};
}

std::optional<Duration> duration_of(double number, Duration unit) {
  const double count = std::round(number * static_cast<double>(unit.count()));
  if (!(count >= 0 && count <= longest)) return std::nullopt;
  return Duration{static_cast<std::int64_t>(count)};
}

std::optional<Duration> parse_duration(std::string_view text) {
  const std::optional<Duration> duration = take_duration(text);
  return text.empty() ? duration : std::nullopt;
}

std::optional<Duration> parse_duration_sum(std::string_view text) {
  Duration total{0};
  do {
    const std::optional<Duration> part = take_duration(text);
    if (!part) return std::nullopt;
    total += *part;
    if (static_cast<double>(total.count()) > longest) return std::nullopt;
  } while (!text.empty());
  return total;
}

bool is_too_long_a_duration(std::string_view text) {
  double total = 0;
  do {
    const std::optional<double> number = take_number(text);
    const std::size_t length = std::min(text.find_first_of("0123456789"), text.size());
    const std::string_view name = text.substr(0, length);
    const std::optional<Duration> unit = name == "us" ? std::nullopt : unit_of_time(name);
    if (!number || !unit) return false;
    text.remove_prefix(length);
    total += *number * static_cast<double>(unit->count());
  } while (!text.empty());
  return total > longest;
}

std::optional<Rate> parse_rate(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || slash == 0) return std::nullopt;
  const std::string_view digits = text.substr(0, slash);
  Rate rate;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), rate.count);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return std::nullopt;
  const std::string_view per = text.substr(slash + 1);
  const std::optional<Duration> one = unit_of_time(per);
  if (rate.count == 0 || !one || *one < std::chrono::seconds(1)) return std::nullopt;
  rate.per = *one;
  return rate;
}

std::optional<double> parse_percentage(std::string_view text) {
  const std::optional<double> number = take_number(text);
  if (!number || text != "%" || *number > 100.0) return std::nullopt;
  return number;
}

std::string in_words(Duration duration) {
  using namespace std::chrono_literals;
  if (duration < Duration{0}) return "-" + in_words(-duration);
  if (duration < 1ms) return duration == Duration{0} ? "0s" : "<1ms";
  if (duration < 1s) {
    return std::to_string(std::chrono::floor<std::chrono::milliseconds>(duration).count()) + "ms";
  }
  if (duration < 10s) {
    const std::int64_t tenths = duration.count() / 100'000;
    return one_decimal(static_cast<double>(tenths) / 10) + "s";
  }
  const auto* large = std::ranges::find_if(
      units, [&](const Unit& unit) { return duration.count() >= unit.microseconds; });
  std::string text = counted(duration.count() / large->microseconds, *large);
  if (large->name == "s") return text;
  const Unit& small = *std::next(large);
  const std::int64_t rest = duration.count() % large->microseconds / small.microseconds;
  return rest > 0 ? text + counted(rest, small) : text;
}

std::string in_all_units(Duration duration) {
  if (duration < Duration{0}) return "-" + in_all_units(-duration);
  std::string text;
  std::int64_t left = duration.count();
  for (const Unit& unit : units) {
    if (left < unit.microseconds) continue;
    text += (text.empty() ? "" : " ") + counted(left / unit.microseconds, unit);
    left %= unit.microseconds;
  }
  return text.empty() ? "0s" : text;
}

std::string in_one_unit(Duration duration) {
  const auto* const unit = std::ranges::find_if(
      units, [&](const Unit& each) { return duration.count() % each.microseconds == 0; });
  return counted(duration.count() / unit->microseconds, *unit);
}

}  // namespace pawl::text
