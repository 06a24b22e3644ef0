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

std::string counted(std::int64_t number, std::string_view one, std::string_view many) {
  const std::string plural = many.empty() ? std::string(one) + "s" : std::string(many);
  return with_separators(number) + " " + (number == 1 ? std::string(one) : plural);
}

std::string one_decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  std::string out = text.data();
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

std::string bytes_in_words(std::int64_t bytes) {
  if (bytes < 1'024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1'024;
  for (const std::string_view unit : {" KiB", " MiB", " GiB"}) {
    if (value < 1'024) return one_decimal(value) + std::string(unit);
    value /= 1'024;
  }
  return one_decimal(value) + " TiB";
}

}  // namespace pawl::text
