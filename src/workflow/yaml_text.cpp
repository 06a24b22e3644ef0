#include "workflow/yaml_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string>

#include "text/utf8.hpp"

namespace pawl::workflow {
namespace {

constexpr std::size_t faults_max = 20;

std::string in_hex(unsigned value) {
  std::array<char, 12> text{};
  std::snprintf(text.data(), text.size(), "0x%02x", value);
  return text.data();
}

bool is_refused_control(char32_t code) {
  const bool is_line_or_tab = code == U'\n' || code == U'\r' || code == U'\t';
  return (code < 0x20 && !is_line_or_tab) || code == 0x7F;
}

/// The first invalid character, or control character that is not allowed in a text file.
std::optional<Diagnostic> broken_character(const SourceText& source) {
  const std::string_view text = source.text();
  std::size_t at = 0;
  while (at < text.size()) {
    const text::Character character = text::first_character(text.substr(at));
    if (!character.is_valid) {
      return Diagnostic{.code = "E002",
                        .message = "the byte " + in_hex(static_cast<unsigned char>(text[at])) +
                                   " is not valid UTF-8",
                        .place = source.place(at, at + 1),
                        .help = "save the file as UTF-8"};
    }
    if (is_refused_control(character.code)) {
      return Diagnostic{
          .code = "E002",
          .message = "the control character " + in_hex(static_cast<unsigned>(character.code)) +
                     " is not allowed in a text file",
          .place = source.place(at, at + 1),
          .help = "remove it; inside double quotes it can be written as a backslash escape"};
    }
    at += character.bytes;
  }
  return std::nullopt;
}

std::size_t spaces_before(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

/// Whether the line ends with the
///  or > that starts a block of text. If it only looks like it, the parser finds the tabs instead.
bool begins_block_text(std::string_view line) {
  const std::size_t comment = line.find(" #");
  line = line.substr(0, comment);
  const std::size_t last = line.find_last_not_of(" \t");
  if (last == std::string_view::npos) return false;
  line = line.substr(0, last + 1);
  const std::size_t sign = line.find_last_not_of("+-0123456789");
  if (sign == std::string_view::npos || (line[sign] != '|' && line[sign] != '>')) return false;
  return sign == 0 || line[sign - 1] == ' ' || line[sign - 1] == '\t';
}

/// Follows the lines, to distinguish tabs in a block of text from tabs in the indentation.
class Indentation {
 public:
  /// True if `line` is indented with a tab.
  bool has_tab(std::string_view line) {
    const bool is_blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (is_blank) return false;
    const std::size_t spaces = spaces_before(line);
    if (block_indent_ == not_known_yet && spaces >= least_indent_) block_indent_ = spaces;
    if (spaces >= block_indent_) return false;
    block_indent_ = no_block;
    if (line[spaces] == '\t') return true;
    if (begins_block_text(line)) {
      block_indent_ = not_known_yet;
      least_indent_ = spaces + 1;
    }
    return false;
  }

 private:
  static constexpr std::size_t no_block = std::string_view::npos;
  static constexpr std::size_t not_known_yet = no_block - 1;

  std::size_t block_indent_ = no_block;  ///< of the block of text that contains the current line
  std::size_t least_indent_ = 0;         ///< of a block whose first line has not been seen yet
};

}  // namespace

std::vector<Diagnostic> faults_of_text(const SourceText& source, std::string_view file) {
  std::vector<Diagnostic> faults;
  if (auto broken = broken_character(source)) {
    faults.push_back(*std::move(broken));
  } else {
    Indentation indentation;
    for (std::size_t number = 1; number <= source.line_count(); ++number) {
      if (faults.size() == faults_max) break;
      const std::string_view line = source.line(number);
      const std::size_t begin = source.offset(number, 1);
      if (line.starts_with('%')) {
        faults.push_back({.code = "E005",
                          .message = "a line that begins with % is a YAML directive, which is "
                                     "not allowed",
                          .place = source.place(begin, begin + line.size()),
                          .help = "remove the line; pawl reads YAML 1.2 without it"});
      } else if (indentation.has_tab(line)) {
        const std::size_t tab = begin + spaces_before(line);
        faults.push_back({.code = "E009",
                          .message = "a tab in the indentation",
                          .place = source.place(tab, tab + 1),
                          .help = "indent with spaces"});
      }
    }
  }
  for (Diagnostic& fault : faults) fault.file = file;
  return faults;
}

}  // namespace pawl::workflow
