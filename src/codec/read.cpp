#include <charconv>
#include <cstddef>
#include <system_error>

#include "codec/scan.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {

using namespace codec;

namespace {

Json json_of(std::string_view text) { return Json::trusted(std::string(text)); }

std::optional<std::string_view> find_member(std::string_view object, std::string_view key) {
  std::optional<std::string_view> found;
  for_members(object, [&](std::string_view quoted, std::string_view value) {
    const bool is_plain = quoted.find('\\') == std::string_view::npos;
    const bool is_it = is_plain
                           ? quoted.size() == key.size() + 2 && quoted.substr(1, key.size()) == key
                           : unquoted(quoted) == key;
    if (is_it) found = value;
    return !is_it;
  });
  return found;
}

std::optional<std::string_view> find_element(std::string_view array, std::size_t index) {
  std::optional<std::string_view> found;
  for_elements(array, [&](std::string_view value) {
    if (index == 0) found = value;
    return index-- != 0;
  });
  return found;
}

/// Takes "[12]" off the front of the path; empty if the path does not start with an index.
std::optional<std::size_t> take_index(std::string_view& path) {
  std::size_t index = 0;
  const char* const last = path.data() + path.size();
  const auto [end, fault] = std::from_chars(path.data() + 1, last, index);
  if (fault != std::errc{} || end == last || *end != ']') return std::nullopt;
  path.remove_prefix(static_cast<std::size_t>(end + 1 - path.data()));
  return index;
}

char first_of(const Json& value) { return value.text().empty() ? '\0' : value.text().front(); }

}  // namespace

bool is_object(const Json& value) { return first_of(value) == '{'; }
bool is_array(const Json& value) { return first_of(value) == '['; }
bool is_string(const Json& value) { return first_of(value) == '"'; }
bool is_number(const Json& value) {
  const char first = first_of(value);
  return first == '-' || (first >= '0' && first <= '9');
}

std::optional<Json> member(const Json& object, std::string_view key) {
  const auto found = find_member(object.text(), key);
  if (!found) return std::nullopt;
  return json_of(*found);
}

std::optional<Json> at_path(const Json& value, std::string_view dotted) {
  std::optional<std::string_view> here = value.text();
  bool is_first = true;
  while (here && !dotted.empty()) {
    if (dotted.front() == '[') {
      const auto index = take_index(dotted);
      here = index ? find_element(*here, *index) : std::nullopt;
    } else {
      if (!is_first) {
        if (dotted.front() != '.') return std::nullopt;
        dotted.remove_prefix(1);
      }
      const std::string_view key = dotted.substr(0, dotted.find_first_of(".["));
      if (key.empty()) return std::nullopt;
      dotted.remove_prefix(key.size());
      here = find_member(*here, key);
    }
    is_first = false;
  }
  if (!here) return std::nullopt;
  return json_of(*here);
}

std::optional<std::string> string_of(const Json& value) {
  if (!is_string(value)) return std::nullopt;
  return unquoted(value.text());
}

std::optional<std::int64_t> integer_of(const Json& value) {
  const std::string& text = value.text();
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<double> number_of(const Json& value) {
  if (!is_number(value)) return std::nullopt;
  return double_of(value.text());
}

std::optional<bool> boolean_of(const Json& value) {
  if (value.text() == "true") return true;
  if (value.text() == "false") return false;
  return std::nullopt;
}

std::vector<Json> elements(const Json& array) {
  std::vector<Json> found;
  for_elements(array.text(), [&](std::string_view value) {
    found.push_back(json_of(value));
    return true;
  });
  return found;
}

std::vector<std::pair<std::string, Json>> members(const Json& object) {
  std::vector<std::pair<std::string, Json>> found;
  for_members(object.text(), [&](std::string_view key, std::string_view value) {
    found.emplace_back(unquoted(key), json_of(value));
    return true;
  });
  return found;
}

}  // namespace pawl
