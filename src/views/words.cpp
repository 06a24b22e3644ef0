#include "views/words.hpp"

#include <array>
#include <cstdio>
#include <string_view>

namespace pawl::views {

using namespace std::chrono_literals;

std::string one_decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  std::string out = text.data();
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

std::string in_words(Duration duration) {
  if (duration < Duration{0}) return "-" + in_words(-duration);
  if (duration < 1ms) return duration == Duration{0} ? "0s" : "<1ms";
  if (duration < 1s) {
    return std::to_string(std::chrono::floor<std::chrono::milliseconds>(duration).count()) + "ms";
  }
  const std::int64_t whole = std::chrono::floor<std::chrono::seconds>(duration).count();
  if (whole < 10) return one_decimal(static_cast<double>(duration.count() / 100'000) / 10) + "s";
  struct Unit {
    std::int64_t seconds;
    std::string_view name;
  };
  constexpr std::array units{Unit{86'400, "d"}, Unit{3'600, "h"}, Unit{60, "m"}, Unit{1, "s"}};
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::int64_t large = whole / units[i].seconds;
    if (large == 0) continue;
    std::string text = std::to_string(large) + std::string(units[i].name);
    if (i + 1 < units.size()) {
      const std::int64_t small = whole % units[i].seconds / units[i + 1].seconds;
      if (small > 0) text += std::to_string(small) + std::string(units[i + 1].name);
    }
    return text;
  }
  return "0s";
}

std::string with_separators(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

}  // namespace pawl::views
