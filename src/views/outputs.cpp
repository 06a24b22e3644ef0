#include "views/outputs.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

#include "pawl/codec/json.hpp"
#include "text/numbers.hpp"
#include "text/utf8.hpp"
#include "views/escaped_text.hpp"

namespace pawl::views {

using codec::file_of;
using codec::FileValue;

Json with_member(const Json& object, const std::string& key, Json value) {
  std::vector<std::pair<std::string, Json>> all = members(object);
  const auto there = std::ranges::find(all, key, &std::pair<std::string, Json>::first);
  if (there != all.end()) {
    there->second = std::move(value);
  } else {
    all.emplace_back(key, std::move(value));
  }
  return Json::object(all);
}

Json with_paths(Records& records, const Json& value) {
  if (!value.text().contains("\"$file\"")) return value;
  if (const std::optional<FileValue> file = file_of(value)) {
    const Result<std::filesystem::path> path = records.payload_path(file->sha256);
    return with_member(value, "path", path ? Json(path->string()) : Json());
  }
  if (is_array(value)) {
    std::vector<Json> all = elements(value);
    for (Json& one : all) one = with_paths(records, one);
    return Json::array(all);
  }
  if (!is_object(value)) return value;
  std::vector<std::pair<std::string, Json>> all = members(value);
  for (auto& [key, one] : all) one = with_paths(records, one);
  return Json::object(all);
}

std::string safe_file_name(const std::string& text) {
  constexpr std::size_t name_bytes_max = 120;
  std::string name;
  for (const char c : printable(text)) {
    const bool is_unsafe = c == '/' || c == '\\' || c == ':' || c == '*' || c == '?' || c == '"' ||
                           c == '<' || c == '>' || c == '|';
    name += is_unsafe ? '_' : c;
  }
  if (name.size() > name_bytes_max) {
    name.resize(name_bytes_max);
    // Do not cut in the middle of a character.
    while (!name.empty() && !text::begins_character(name.back())) {
      name.pop_back();
    }
    if (!name.empty() && static_cast<unsigned char>(name.back()) >= 0xC0) name.pop_back();
  }
  if (name.starts_with('.') || name.starts_with('-')) name.front() = '_';
  while (name.ends_with(' ') || name.ends_with('.')) name.back() = '_';
  return name.empty() ? "_" : name;
}

std::vector<std::string> lines_of_file(Records& records, const FileValue& file,
                                       const std::string& place) {
  constexpr std::int64_t shown_bytes_max = std::int64_t{1} << 20U;
  std::vector<std::string> lines{"file " + file.name + ", " + text::bytes_in_words(file.size) +
                                 ", " + place};
  if (file.size > shown_bytes_max) return lines;
  const Result<std::string> bytes = records.payload(file.sha256);
  const bool is_text = bytes && bytes->find('\0') == std::string::npos;
  if (!is_text) return lines;
  std::istringstream content(*bytes);
  for (std::string line; std::getline(content, line);) lines.push_back(line);
  return lines;
}

namespace {

using FileLines = std::function<std::vector<std::string>(const FileValue&)>;

void append_lines(std::vector<std::string>& lines, std::string_view text,
                  const std::string& indent) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(indent + std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void append_value(std::vector<std::string>& lines, const Json& value, const std::string& indent,
                  const FileLines& lines_of_file) {
  if (const std::optional<FileValue> file = file_of(value)) {
    for (const std::string& line : lines_of_file(*file)) lines.push_back(indent + line);
    return;
  }
  const Result<std::string> text = JsonView(value).string();
  append_lines(lines, text && text->contains('\n') ? *text : pretty(value), indent);
}

}  // namespace

std::vector<std::string> readable_lines(const Json& output, const FileLines& lines_of_file) {
  std::vector<std::string> lines;
  if (!is_object(output) || file_of(output)) {
    append_value(lines, output, "", lines_of_file);
    return lines;
  }
  for (const auto& [field, value] : members(output)) {
    const Result<std::string> text = JsonView(value).string();
    const bool is_long = (text && text->contains('\n')) || is_object(value) || is_array(value);
    if (is_long) {
      lines.push_back(field + ":");
      append_value(lines, value, "  ", lines_of_file);
    } else {
      lines.push_back(field + ": " + pretty(value));
    }
  }
  return lines;
}

}  // namespace pawl::views
