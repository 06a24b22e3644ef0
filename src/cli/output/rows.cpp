#include "cli/output/rows.hpp"

#include <algorithm>

#include "cli/output/escaped_text.hpp"
#include "cli/output/terminal_output.hpp"
#include "text/utf8.hpp"

namespace pawl::cli {
namespace {

constexpr std::size_t tab_columns = 8;

/// The bytes of one of our own sequences at the start of the text; 0: there is none.
std::size_t own_sequence_bytes(std::string_view text) {
  static const std::string marker = control_sequence("");
  if (!text.starts_with(marker)) return 0;
  std::size_t at = marker.size();
  while (at < text.size() && (text[at] == ';' || (text[at] >= '0' && text[at] <= '9'))) ++at;
  return std::min(at + 1, text.size());
}

/// The bytes of the line that fit in the columns, at least one character. Prefers to end after a
/// space.
std::size_t bytes_that_fit(std::string_view line, std::size_t columns) {
  std::size_t used = 0;
  std::size_t at = 0;
  std::size_t after_space = 0;
  while (at < line.size()) {
    if (const std::size_t own = own_sequence_bytes(line.substr(at)); own > 0) {
      at += own;
      continue;
    }
    const text::Character glyph = text::first_character(line.substr(at));
    used += line[at] == '\t' ? tab_columns - used % tab_columns : text::columns_of(glyph.code);
    if (used > columns && at > 0) return after_space > 0 ? after_space : at;
    at += glyph.bytes;
    // Spaces at the beginning indent the line: a break there would gain nothing.
    const bool is_inner = line.substr(0, at).find_first_not_of(' ') != std::string_view::npos;
    if (line[at - 1] == ' ' && is_inner) after_space = at;
  }
  return line.size();
}

}  // namespace

std::vector<std::string> rows_of(std::string_view text, std::size_t columns) {
  std::vector<std::string> rows;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    do {
      const std::size_t bytes = bytes_that_fit(line, columns);
      rows.emplace_back(line.substr(0, bytes));
      line.remove_prefix(bytes);
    } while (!line.empty());
  }
  return rows;
}

std::string without_colours(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (const std::size_t own = own_sequence_bytes(text); own > 0) {
      text.remove_prefix(own);
      continue;
    }
    const std::size_t next = std::min(text.find('\x1b', 1), text.size());
    plain += text.substr(0, next);
    text.remove_prefix(next);
  }
  return printable_lines(plain);
}

}  // namespace pawl::cli
