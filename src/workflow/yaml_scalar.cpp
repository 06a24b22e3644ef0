#include "workflow/yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>

namespace pawl::workflow {
namespace {

bool is_one_of(std::string_view text, const auto& words) {
  return std::ranges::find(words, text) != words.end();
}
constexpr std::array<std::string_view, 5> nulls{"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> trues{"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> falses{"false", "False", "FALSE"};
constexpr std::array<std::string_view, 3> infinities{".inf", ".Inf", ".INF"};
constexpr std::array<std::string_view, 3> not_numbers{".nan", ".NaN", ".NAN"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the digits off the front.
std::string_view take_digits(std::string_view& text) {
  const std::size_t length =
      std::min(text.size(),
               static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin()));
  const std::string_view digits = text.substr(0, length);
  text.remove_prefix(length);
  return digits;
}

bool take_sign(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  return is_negative;
}

/// The parts of [-+]? (\.[0-9]+ | [0-9]+(\.[0-9]*)?) ([eE][-+]?[0-9]+)?
struct Decimal {
  bool is_negative = false;
  std::string_view whole;
  std::string_view fraction;
  std::string_view exponent;  ///< with its sign
  bool is_integer = true;
};

std::optional<Decimal> read_decimal(std::string_view text) {
  Decimal decimal;
  decimal.is_negative = take_sign(text);
  decimal.whole = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    decimal.fraction = take_digits(text);
    decimal.is_integer = false;
  }
  if (decimal.whole.empty() && decimal.fraction.empty()) return std::nullopt;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    std::string_view rest = text;
    take_sign(rest);
    if (take_digits(rest).empty() || !rest.empty()) return std::nullopt;
    decimal.exponent = text;
    decimal.is_integer = false;
    return decimal;
  }
  if (!text.empty()) return std::nullopt;
  return decimal;
}

struct Based {
  int base = 10;
  std::string_view digits;
};

/// 0x1f and 0o17, without a sign, as in the core schema.
std::optional<Based> read_based(std::string_view text) {
  const Based based{.base = text.starts_with("0x") ? 16 : 8,
                    .digits = text.substr(std::min<std::size_t>(2, text.size()))};
  if (!text.starts_with("0x") && !text.starts_with("0o")) return std::nullopt;
  const std::string_view known =
      based.base == 16 ? std::string_view("0123456789abcdefABCDEF") : std::string_view("01234567");
  const bool is_number =
      !based.digits.empty() && based.digits.find_first_not_of(known) == std::string_view::npos;
  return is_number ? std::optional(based) : std::nullopt;
}

std::optional<std::string> spelled(const Based& based) {
  std::uint64_t value = 0;
  const char* const last = based.digits.data() + based.digits.size();
  const auto [end, fault] = std::from_chars(based.digits.data(), last, value, based.base);
  if (fault != std::errc{} || end != last) return std::nullopt;
  return std::to_string(value);
}

/// Whether a number outside the range of a double is too large, rather than too small.
bool is_large(const Decimal& decimal) {
  const bool is_lowered = decimal.exponent.starts_with('-');
  std::string_view digits = decimal.exponent;
  take_sign(digits);
  std::int64_t exponent = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (read.ec == std::errc::result_out_of_range) return !is_lowered;

  const auto zeros = [](std::string_view text) {
    return static_cast<std::int64_t>(std::min(text.find_first_not_of('0'), text.size()));
  };
  const auto whole = static_cast<std::int64_t>(decimal.whole.size());
  const std::int64_t places =
      zeros(decimal.whole) < whole ? whole - zeros(decimal.whole) : -zeros(decimal.fraction);
  // No text has enough digits to outweigh half the range of the exponent.
  exponent = std::min(exponent, std::numeric_limits<std::int64_t>::max() / 2);
  return places + (is_lowered ? -exponent : exponent) > 0;
}

std::optional<std::string> spelled(const Decimal& decimal) {
  std::string text = decimal.is_negative ? "-" : "";
  std::string_view whole = decimal.whole;
  while (whole.size() > 1 && whole.front() == '0') whole.remove_prefix(1);
  text += whole.empty() ? "0" : whole;
  if (!decimal.fraction.empty()) (text += '.') += decimal.fraction;
  if (!decimal.exponent.empty()) (text += 'e') += decimal.exponent;
  // "1." is a number but not an integer, and JSON needs a digit after the point.
  if (!decimal.is_integer && decimal.fraction.empty() && decimal.exponent.empty()) text += ".0";

  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault == std::errc::result_out_of_range && is_large(decimal)) return std::nullopt;
  if (text == "-0") text = "0";
  return text;
}

}  // namespace

PlainScalar read_plain(std::string_view text) {
  using Kind = YamlNode::Kind;
  if (is_one_of(text, nulls)) return {.kind = Kind::null};
  if (is_one_of(text, trues)) return {.kind = Kind::boolean, .boolean = true};
  if (is_one_of(text, falses)) return {.kind = Kind::boolean};

  std::string_view unsigned_text = text;
  take_sign(unsigned_text);
  if (is_one_of(unsigned_text, infinities) || is_one_of(text, not_numbers)) {
    return {.kind = Kind::number, .has_json = false};
  }
  if (const auto based = read_based(text)) {
    return {.kind = Kind::integer, .has_json = spelled(*based).has_value()};
  }
  if (const auto decimal = read_decimal(text)) {
    return {.kind = decimal->is_integer ? Kind::integer : Kind::number,
            .has_json = spelled(*decimal).has_value()};
  }
  return {};
}

std::optional<std::string> json_number(std::string_view text) {
  if (const auto based = read_based(text)) return spelled(*based);
  if (const auto decimal = read_decimal(text)) return spelled(*decimal);
  return std::nullopt;
}

}  // namespace pawl::workflow
