#include "views/csv.hpp"

#include <charconv>
#include <cstdlib>

#include "views/escaped_text.hpp"

namespace pawl::views {
namespace {

bool is_number(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc{} && read.ptr == text.data() + text.size();
}

bool looks_like_formula(std::string_view text) {
  // Spreadsheets skip white space before a formula.
  const std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return false;
  return std::string_view("=+-@").contains(text[start]) && !is_number(text);
}

std::string csv_cell(std::string_view cell) {
  std::string text = printable_lines(cell);
  if (looks_like_formula(text)) text.insert(0, 1, '\'');
  const bool is_plain = text.find_first_of(",\"\n\r\t") == std::string::npos &&
                        !text.starts_with(' ') && !text.ends_with(' ');
  if (is_plain) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) line += (i > 0 ? "," : "") + csv_cell(cells[i]);
  return line + "\n";
}

}  // namespace pawl::views
