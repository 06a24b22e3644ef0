#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/scan.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {

using namespace codec;

namespace {

/// Up to here, whole numbers are the same as integers and as doubles.
constexpr double exact_integers_max = 9'007'199'254'740'992.0;

void append_canonical_number(std::string& out, std::string_view digits) {
  if (digits.find_first_of(".eE") == std::string_view::npos) {
    out += digits == "-0" ? "0" : digits;
    return;
  }
  const auto value = double_of(digits);
  if (!value) {
    out += digits;
    return;
  }
  std::array<char, 40> shortest;
  char* const begin = shortest.data();
  char* const last = begin + shortest.size();
  const bool is_whole = std::trunc(*value) == *value && std::abs(*value) <= exact_integers_max;
  char* const end = is_whole ? std::to_chars(begin, last, static_cast<std::int64_t>(*value)).ptr
                             : std::to_chars(begin, last, *value).ptr;
  out.append(begin, end);
}

void append_canonical(std::string& out, std::string_view value);

void append_canonical_object(std::string& out, std::string_view object) {
  std::vector<std::pair<std::string, std::string_view>> sorted;
  for_members(object, [&](std::string_view key, std::string_view value) {
    sorted.emplace_back(unquoted(key), value);
    return true;
  });
  std::ranges::stable_sort(sorted, {}, &std::pair<std::string, std::string_view>::first);
  out += '{';
  bool is_first = true;
  for (const auto& [key, value] : sorted) {
    if (!std::exchange(is_first, false)) out += ',';
    append_quoted(out, key);
    out += ':';
    append_canonical(out, value);
  }
  out += '}';
}

void append_canonical(std::string& out, std::string_view value) {
  const char first = value.empty() ? '\0' : value.front();
  if (first == '{') {
    append_canonical_object(out, value);
  } else if (first == '[') {
    out += '[';
    bool is_first = true;
    for_elements(value, [&](std::string_view element) {
      if (!std::exchange(is_first, false)) out += ',';
      append_canonical(out, element);
      return true;
    });
    out += ']';
  } else if (first == '"') {
    append_quoted(out, unquoted(value));
  } else if (first == '-' || (first >= '0' && first <= '9')) {
    append_canonical_number(out, value);
  } else {
    out += value;
  }
}

void new_line(std::string& out, std::size_t depth) {
  out += '\n';
  out.append(2 * depth, ' ');
}

}  // namespace

Json canonical(const Json& value) {
  std::string out;
  out.reserve(value.size());
  append_canonical(out, value.text());
  return Json::trusted(std::move(out));
}

std::string pretty(const Json& value) {
  std::string out;
  out.reserve(2 * value.size());
  Scanner scan(value.text());
  std::size_t depth = 0;
  for (char next = scan.peek(); next != '\0'; next = scan.peek()) {
    if (next == '{' || next == '[') {
      scan.take(next);
      out += next;
      const char closing = next == '{' ? '}' : ']';
      if (scan.take(closing)) {
        out += closing;
      } else {
        new_line(out, ++depth);
      }
    } else if (next == '}' || next == ']') {
      scan.take(next);
      if (depth > 0) --depth;
      new_line(out, depth);
      out += next;
    } else if (scan.take(',')) {
      out += ',';
      new_line(out, depth);
    } else if (scan.take(':')) {
      out += ": ";
    } else {
      out += scan.value();
    }
  }
  return out;
}

}  // namespace pawl
