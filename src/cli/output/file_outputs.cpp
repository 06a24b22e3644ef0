#include "cli/output/file_outputs.hpp"

#include <sstream>

#include "cli/output/render.hpp"
#include "text/utf8.hpp"

namespace pawl::cli {

using codec::FileValue;

namespace {

constexpr std::size_t name_bytes_max = 120;
/// The size of the largest file that is shown line by line.
constexpr std::int64_t shown_bytes_max = std::int64_t{1} << 20U;

/// Where the content of the file is, and the content itself if it is a small text.
std::vector<std::string> lines_of_file(Records& records, const FileValue& file) {
  const Result<std::filesystem::path> path = records.payload_path(file.sha256);
  std::vector<std::string> lines{"file " + file.name + ", " + bytes_in_words(file.size) + ", " +
                                 (path ? path->string() : "its content is missing")};
  if (file.size > shown_bytes_max) return lines;
  const Result<std::string> bytes = records.payload(file.sha256);
  const bool is_text = bytes && bytes->find('\0') == std::string::npos;
  if (!is_text) return lines;
  std::istringstream content(*bytes);
  for (std::string line; std::getline(content, line);) lines.push_back(line);
  return lines;
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
  return views::readable_lines(output,
                               [&](const FileValue& file) { return lines_of_file(records, file); });
}

}  // namespace pawl::cli
