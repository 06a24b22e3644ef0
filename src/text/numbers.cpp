#include "text/numbers.hpp"

#include <array>
#include <cstdio>

namespace pawl::text {

std::string with_separators(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string one_decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  std::string out = text.data();
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

}  // namespace pawl::text
