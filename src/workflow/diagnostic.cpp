#include "pawl/workflow/diagnostic.hpp"

#include <algorithm>
#include <utility>

#include "text/utf8.hpp"
#include "workflow/source_text.hpp"

namespace pawl {

using namespace workflow;
using text::Character;
using text::first_character;

namespace {

constexpr std::size_t shown_max = 160;  ///< characters of a source line
constexpr std::size_t tab_columns = 4;

struct Palette {
  std::string_view error = "\x1b[1;31m";
  std::string_view warning = "\x1b[1;33m";
  std::string_view gutter = "\x1b[1;34m";
  std::string_view bold = "\x1b[1m";
  std::string_view plain = "\x1b[0m";
};
constexpr Palette colours;
constexpr Palette no_colours{.error = "", .warning = "", .gutter = "", .bold = "", .plain = ""};

/// One character of a source line as it is printed. Characters that could move the cursor or change
/// the writing direction are replaced.
struct Drawn {
  std::string text;
  std::size_t columns = 1;
};

Drawn drawn(const Character& character, std::string_view bytes) {
  if (character.code == U'\t') return {std::string(tab_columns, ' '), tab_columns};
  if (!character.is_valid || text::is_unprintable(character.code)) return {"\uFFFD", 1};
  return {std::string(bytes), text::columns_of(character.code)};
}

/// A message on one line; it may quote the file.
std::string visible(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.is_valid && character.code == U'\n') {
      out += "\\n";
    } else {
      out += drawn(character, text.substr(0, character.bytes)).text;
    }
    text.remove_prefix(character.bytes);
  }
  return out;
}

struct Excerpt {
  std::string line;
  std::string marks;
};

/// The number of characters in a line, as an editor counts them.
std::size_t characters_in(std::string_view line) {
  std::size_t count = 0;
  for (; !line.empty(); ++count) line.remove_prefix(first_character(line).bytes);
  return count;
}

/// The line and the carets under it, both cut to a window around the place if the line is long.
Excerpt excerpt(std::string_view line, const Place& place) {
  const std::size_t size = characters_in(line);
  // A place after the end of the line is shown directly after it.
  const std::size_t begin = std::min<std::size_t>(place.column == 0 ? 0 : place.column - 1, size);
  const std::size_t end = std::clamp<std::size_t>(place.end_column == 0 ? 0 : place.end_column - 1,
                                                  std::min(begin + 1, size), size);
  std::size_t first = 0;
  std::size_t last = size;
  if (size > shown_max) {
    constexpr std::size_t before = shown_max / 4;
    first = std::min(begin > before ? begin - before : 0, size - shown_max);
    last = first + shown_max;
  }

  Excerpt shown;
  if (first > 0) {
    shown.line += "…";
    shown.marks += ' ';
  }
  std::size_t mark = std::string::npos;  // in columns; a combining mark alone has no column
  for (std::size_t i = 0; i < last; ++i) {
    const Character character = first_character(line);
    if (i == begin) mark = shown.marks.size();
    if (i >= first) {
      const Drawn one = drawn(character, line.substr(0, character.bytes));
      shown.line += one.text;
      shown.marks.append(one.columns, i >= begin && i < end ? '^' : ' ');
    }
    line.remove_prefix(character.bytes);
  }
  if (last < size) shown.line += "…";
  if (shown.marks.find('^') == std::string::npos) {
    shown.marks.resize(std::min(mark, shown.marks.size()));
    shown.marks += '^';
  }
  shown.marks.erase(shown.marks.find_last_not_of(' ') + 1);
  return shown;
}

void append_one(std::string& out, const Diagnostic& diagnostic, const SourceText& source,
                const Palette& paint) {
  const bool is_error = diagnostic.severity == Severity::error;
  out += is_error ? paint.error : paint.warning;
  out += is_error ? "error" : "warning";
  if (!diagnostic.code.empty()) out += "[" + visible(diagnostic.code) + "]";
  (out += paint.plain) += paint.bold;
  out += ": " + visible(diagnostic.message);
  (out += paint.plain) += '\n';

  const Place& place = diagnostic.place;
  const std::string number = std::to_string(place.line);
  const std::size_t width = place.line == 0 ? 2 : std::max<std::size_t>(2, number.size());
  const auto gutter = [&](std::string_view text) {
    (out += paint.gutter).append(width + 1 - text.size(), ' ');
    ((out += text) += '|') += paint.plain;
  };

  (out += paint.gutter).append(width, ' ');
  (out += "-->") += paint.plain;
  out += " " + visible(diagnostic.file);
  if (place.line != 0) {
    out += ":" + number + ":" + std::to_string(place.column);
    out += '\n';
    const Excerpt shown = excerpt(source.line(place.line), place);
    gutter("");
    out += '\n';
    gutter(number);
    out += shown.line.empty() ? "" : " " + shown.line;
    out += '\n';
    gutter("");
    (out += ' ') += is_error ? paint.error : paint.warning;
    (out += shown.marks) += paint.plain;
  }
  out += '\n';
  if (!diagnostic.help.empty()) {
    (out += paint.gutter).append(width + 1, ' ');
    (out += '=') += paint.plain;
    out += " help: " + visible(diagnostic.help) + "\n";
  }
}

}  // namespace

std::string render(std::span<const Diagnostic> diagnostics, std::string_view source, bool colour) {
  const SourceText text(source);
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty()) out += '\n';
    append_one(out, diagnostic, text, colour ? colours : no_colours);
  }
  return out;
}

Json diagnostic_document(const Diagnostic& diagnostic) {
  const Json suggestion = diagnostic.suggestion
                              ? Json::object({{"replace", diagnostic.suggestion->replace},
                                              {"with", diagnostic.suggestion->with}})
                              : Json();
  return Json::object({{"code", diagnostic.code},
                       {"severity", diagnostic.severity == Severity::error ? "error" : "warning"},
                       {"message", diagnostic.message},
                       {"file", diagnostic.file},
                       {"line", diagnostic.place.line},
                       {"column", diagnostic.place.column},
                       {"end_column", diagnostic.place.end_column},
                       {"help", diagnostic.help},
                       {"suggestion", suggestion}});
}

}  // namespace pawl
