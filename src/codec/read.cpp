#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

#include "codec/scan.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {

using namespace codec;

namespace {

Json json_of(std::string_view text) { return Json::trusted(std::string(text)); }

/// Empty if the object has no such member.
std::string_view find_member(std::string_view object, std::string_view key) {
  std::string_view found;
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

/// Empty if the list is shorter.
std::string_view find_element(std::string_view array, std::size_t index) {
  std::string_view found;
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

char first_of(const JsonView& value) { return value.exists() ? value.text().front() : '\0'; }

/// ".key", or ["a key"] if the key is not a plain name.
void append_key(std::string& path, std::string_view key) {
  const bool is_plain = !key.empty() && key.find_first_of(".[]'\"\\ ") == std::string_view::npos &&
                        std::ranges::none_of(key, [](char c) { return c > 0 && c < ' '; });
  if (is_plain) {
    if (!path.empty()) path += '.';
    path += key;
  } else {
    path += '[';
    append_quoted(path, key);
    path += ']';
  }
}

/// "a string", or the value itself if it is short: "null", "1.5".
std::string_view kind_of(std::string_view text) {
  constexpr std::size_t number_bytes_max = 40;
  switch (text.front()) {
    case '{':
      return "an object";
    case '[':
      return "a list";
    case '"':
      return "a string";
    default:
      return text.size() > number_bytes_max ? "a long number" : text;
  }
}

}  // namespace

JsonView JsonView::operator[](std::string_view key) const {
  JsonView member = *this;
  if (!exists()) return member;
  if (!is_object(*this)) return member.stop("an object");
  append_key(member.path_, key);
  member.text_ = find_member(text_, key);
  return member;
}

JsonView JsonView::operator[](std::size_t index) const {
  JsonView element = *this;
  if (!exists()) return element;
  if (!is_array(*this)) return element.stop("a list");
  element.path_ += '[' + std::to_string(index) + ']';
  element.text_ = find_element(text_, index);
  return element;
}

JsonView JsonView::stop(const char* wanted) {
  instead_ = std::exchange(text_, {});
  wanted_ = wanted;
  return std::move(*this);
}

std::unexpected<Error> JsonView::unfit(const char* wanted) const {
  const std::string place = path_.empty() ? "the value" : "'" + path_ + "'";
  if (!exists() && instead_.empty()) return fail(ErrorCode::invalid, place + " is missing");
  const std::string found(kind_of(exists() ? text_ : instead_));
  return fail(ErrorCode::invalid,
              place + " is " + found + ", not " + (exists() ? wanted : wanted_));
}

Result<Json> JsonView::json() const {
  if (!exists()) return unfit("");
  return json_of(text_);
}

Result<std::string> JsonView::string() const {
  if (!is_string(*this)) return unfit("a string");
  return unquoted(text_);
}

Result<std::int64_t> JsonView::integer() const {
  std::int64_t number = 0;
  const char* const last = text_.data() + text_.size();
  const auto [end, fault] = std::from_chars(text_.data(), last, number);
  if (fault == std::errc::result_out_of_range && end == last) {
    return unfit("an integer of 64 bits");
  }
  if (fault != std::errc{} || end != last) return unfit("an integer");
  return number;
}

Result<double> JsonView::number() const {
  const auto number = is_number(*this) ? double_of(text_) : std::nullopt;
  if (!number) return unfit("a number");
  return *number;
}

Result<bool> JsonView::boolean() const {
  if (!is_boolean(*this)) return unfit("true or false");
  return text_ == "true";
}

JsonView field(const Json& value, std::string_view path) {
  JsonView here = value;
  std::string_view rest = path;
  bool is_path = true;
  while (is_path && here.exists() && !rest.empty()) {
    if (rest.front() == '[') {
      const auto index = take_index(rest);
      is_path = index.has_value();
      if (is_path) here = here[*index];
    } else {
      const bool is_first = rest.size() == path.size();
      const bool has_dot = rest.front() == '.';
      if (has_dot) rest.remove_prefix(1);
      const std::string_view key = rest.substr(0, rest.find_first_of(".["));
      rest.remove_prefix(key.size());
      is_path = has_dot != is_first && !key.empty();
      if (is_path) here = here[key];
    }
  }
  if (!is_path) {
    here.text_ = {};
    here.path_ = path;
  }
  return here;
}

bool is_object(const JsonView& value) { return first_of(value) == '{'; }
bool is_array(const JsonView& value) { return first_of(value) == '['; }
bool is_string(const JsonView& value) { return first_of(value) == '"'; }
bool is_number(const JsonView& value) {
  const char first = first_of(value);
  return first == '-' || (first >= '0' && first <= '9');
}
bool is_boolean(const JsonView& value) { return value.text() == "true" || value.text() == "false"; }

std::vector<Json> elements(const JsonView& array) {
  std::vector<Json> found;
  for_elements(array.text(), [&](std::string_view value) {
    found.push_back(json_of(value));
    return true;
  });
  return found;
}

std::vector<std::pair<std::string, Json>> members(const JsonView& object) {
  std::vector<std::pair<std::string, Json>> found;
  for_members(object.text(), [&](std::string_view key, std::string_view value) {
    found.emplace_back(unquoted(key), json_of(value));
    return true;
  });
  return found;
}

}  // namespace pawl
