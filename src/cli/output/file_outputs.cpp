#include "cli/output/file_outputs.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/output/render.hpp"
#include "pawl/codec/json.hpp"
#include "text/utf8.hpp"

namespace pawl::cli {

using workflow::file_of;
using workflow::FileValue;

namespace {

constexpr std::size_t name_bytes_max = 120;
/// The size of the largest file that is shown line by line.
constexpr std::int64_t shown_bytes_max = std::int64_t{1} << 20U;

void append_lines(std::vector<std::string>& lines, std::string_view text,
                  const std::string& indent) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(indent + std::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void append_value(Records& records, std::vector<std::string>& lines, const Json& value,
                  const std::string& indent) {
  if (const std::optional<FileValue> file = file_of(value)) {
    const Result<std::filesystem::path> path = records.payload_path(file->sha256);
    lines.push_back(indent + "file " + file->name + ", " + bytes_in_words(file->size) + ", " +
                    (path ? path->string() : "its content is missing"));
    if (file->size > shown_bytes_max) return;
    const Result<std::string> bytes = records.payload(file->sha256);
    const bool is_text = bytes && bytes->find('\0') == std::string::npos;
    if (is_text) append_lines(lines, *bytes, indent);
    return;
  }
  const Result<std::string> text = JsonView(value).string();
  append_lines(lines, text && text->contains('\n') ? *text : pretty(value), indent);
}

}  // namespace

std::string safe_file_name(const std::string& text) {
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

std::vector<std::string> readable_lines(Records& records, const Json& output) {
  std::vector<std::string> lines;
  if (!is_object(output) || file_of(output)) {
    append_value(records, lines, output, "");
    return lines;
  }
  for (const auto& [field, value] : members(output)) {
    const Result<std::string> text = JsonView(value).string();
    const bool is_long = (text && text->contains('\n')) || is_object(value) || is_array(value);
    if (is_long) {
      lines.push_back(field + ":");
      append_value(records, lines, value, "  ");
    } else {
      lines.push_back(field + ": " + pretty(value));
    }
  }
  return lines;
}

}  // namespace pawl::cli
