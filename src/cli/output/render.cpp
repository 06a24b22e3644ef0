#include "cli/output/render.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cwchar>
#include <utility>

#include <locale.h>

#include "cli/output/terminal_output.hpp"
#include "pawl/codec/names.hpp"
#include "pawl/codec/rfc3339.hpp"
#include "text/passwords.hpp"
#include "text/utf8.hpp"

namespace pawl::cli {

using text::Character;
using text::first_character;
namespace {

using namespace std::chrono_literals;

int columns_of(char32_t code) {
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  const locale_t before = utf8 == nullptr ? nullptr : ::uselocale(utf8);
  const int columns = ::wcwidth(static_cast<wchar_t>(code));
  if (before != nullptr) ::uselocale(before);
  return columns < 0 ? 1 : columns;
}

std::string formatted_time(Timestamp time, bool local, const char* format) {
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  if (local) {
    ::localtime_r(&seconds, &parts);
  } else {
    ::gmtime_r(&seconds, &parts);
  }
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &parts)};
}

std::string_view code_of(Paint paint) {
  switch (paint) {
    case Paint::plain:
      return "";
    case Paint::bold:
      return "1";
    case Paint::dim:
      return "2";
    case Paint::red:
      return "31";
    case Paint::green:
      return "32";
    case Paint::yellow:
      return "33";
    case Paint::cyan:
      return "36";
  }
  return "";
}

}  // namespace

std::string Style::paint(Paint paint, std::string_view text) const {
  if (!colour || paint == Paint::plain || text.empty()) return std::string(text);
  return control_sequence(std::string(code_of(paint)) + "m") + std::string(text) +
         control_sequence("0m");
}

bool wants_colour(Colour choice, bool is_terminal) {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  switch (choice) {
    case Colour::always:
      return true;
    case Colour::never:
      return false;
    case Colour::automatic:
      break;
  }
  if (is_set("NO_COLOR")) return false;
  if (is_set("CLICOLOR_FORCE") && std::string_view(std::getenv("CLICOLOR_FORCE")) != "0") {
    return true;
  }
  const char* const terminal = std::getenv("TERM");
  return is_terminal && (terminal == nullptr || std::string_view(terminal) != "dumb");
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character glyph = first_character(text);
    width += static_cast<std::size_t>(columns_of(glyph.code));
    text.remove_prefix(glyph.bytes);
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t used = 0;
  std::size_t kept = 0;
  while (kept < text.size()) {
    const Character glyph = first_character(text.substr(kept));
    used += static_cast<std::size_t>(columns_of(glyph.code));
    if (used + 1 > width) break;
    kept += glyph.bytes;
  }
  return std::string(text.substr(0, kept)) + "…";
}

namespace {

/// No column is made narrower than this.
constexpr std::size_t column_width_min = 10;
constexpr std::size_t columns_apart = 2;

std::size_t width_of_line(const std::vector<std::size_t>& widths) {
  std::size_t total = widths.empty() ? 0 : columns_apart * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  return total;
}

/// Narrows the widest columns until the table fits.
void fit(std::vector<std::size_t>& widths, std::size_t width_max) {
  if (width_max == 0 || widths.empty()) return;
  std::size_t total = width_of_line(widths);
  while (total > width_max) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= column_width_min) return;
    --*widest;
    --total;
  }
}

/// The text in lines of at most this width, broken at spaces where there are some.
std::vector<std::string> wrapped_to(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (display_width(text) > width) {
    std::size_t used = 0;
    std::size_t end = 0;
    std::size_t space = 0;  // behind the last space that fits
    while (end < text.size()) {
      const Character glyph = first_character(text.substr(end));
      used += static_cast<std::size_t>(columns_of(glyph.code));
      if (used > width) break;
      end += glyph.bytes;
      if (glyph.code == U' ') space = end;
    }
    if (end < text.size() && text[end] == ' ') space = end;
    const std::size_t cut = space > 0 ? space : std::max<std::size_t>(end, 1);
    std::string_view line = text.substr(0, cut);
    while (line.ends_with(' ')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(cut);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace

std::vector<std::vector<Table::Cell>> Table::shown_rows() const {
  std::vector<std::vector<Cell>> shown;
  for (const std::vector<Cell>& row : rows_) {
    std::vector<Cell> cells;
    for (std::size_t i = 0; i < row.size() && i < columns_.size(); ++i) {
      std::string words = printable(row[i].text);
      if (columns_[i].width_max > 0) words = shortened(words, columns_[i].width_max);
      cells.emplace_back(std::move(words), row[i].paint);
    }
    shown.push_back(std::move(cells));
  }
  return shown;
}

std::vector<std::size_t> Table::widths_of(const std::vector<std::vector<Cell>>& shown) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(display_width(column.heading));
  for (const std::vector<Cell>& row : shown) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  }
  return widths;
}

Table Table::without_empty_columns() const {
  const auto is_left_out = [&](std::size_t i) {
    return columns_[i].is_optional && std::ranges::all_of(rows_, [&](const std::vector<Cell>& row) {
             return i >= row.size() || row[i].text.empty();
           });
  };
  Table table({});
  table.rows_.resize(rows_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (is_left_out(i)) continue;
    table.columns_.push_back(columns_[i]);
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      if (i < rows_[row].size()) table.rows_[row].push_back(rows_[row][i]);
    }
  }
  return table;
}

std::size_t Table::width_min() const {
  std::vector<std::size_t> widths = widths_of(shown_rows());
  for (std::size_t& width : widths) width = std::min(width, column_width_min);
  return width_of_line(widths);
}

std::string Table::text(const Style& style) const {
  const std::vector<std::vector<Cell>> shown = shown_rows();
  std::vector<std::size_t> widths = widths_of(shown);
  fit(widths, style.width);

  std::string out;
  const auto append_line = [&](const std::vector<Cell>& cells) {
    std::string line;
    std::size_t blanks = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t padding = widths[i] - display_width(cells[i].text);
      const bool is_right = columns_[i].align == Align::right;
      blanks += (i > 0 ? columns_apart : 0) + (is_right ? padding : 0);
      if (!cells[i].text.empty()) {
        line.append(blanks, ' ');
        blanks = 0;
        line += style.paint(cells[i].paint, cells[i].text);
      }
      if (!is_right) blanks += padding;
    }
    out += line + '\n';
  };
  const auto append = [&](const std::vector<Cell>& cells) {
    std::vector<std::vector<std::string>> wrapped;
    std::size_t lines = 1;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      wrapped.push_back(wrapped_to(cells[i].text, widths[i]));
      lines = std::max(lines, wrapped.back().size());
    }
    for (std::size_t line = 0; line < lines; ++line) {
      std::vector<Cell> parts;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const bool has_more = line < wrapped[i].size();
        parts.emplace_back(has_more ? wrapped[i][line] : std::string(), cells[i].paint);
      }
      append_line(parts);
    }
  };
  std::vector<Cell> headings;
  for (const Column& column : columns_) headings.emplace_back(column.heading, Paint::bold);
  append(headings);
  for (const std::vector<Cell>& row : shown) append(row);
  return out;
}

std::string Times::of(Timestamp time) const {
  if (time == no_time) return "-";
  switch (style) {
    case TimeStyle::utc:
      return rfc3339(time);
    case TimeStyle::local:
      return formatted_time(time, true, "%Y-%m-%d %H:%M:%S");
    case TimeStyle::relative:
      break;
  }
  const Duration away = time > now ? time - now : now - time;
  if (away < 1s) return "now";
  const std::string words = in_words(std::chrono::floor<std::chrono::seconds>(away));
  return time > now ? "in " + words : words + " ago";
}

std::string Times::of_entry(Timestamp time) const {
  if (time == no_time || style != TimeStyle::relative) return of(time);
  const bool is_today = now - time < 12h && time <= now;
  return formatted_time(time, true, is_today ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S");
}

std::string dollars(std::int64_t microusd) {
  const std::int64_t cents = (microusd + (microusd < 0 ? -5'000 : 5'000)) / 10'000;
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), "%02d", static_cast<int>(std::abs(cents % 100)));
  return (cents < 0 ? "-$" : "$") + with_separators(std::abs(cents / 100)) + "." + fraction.data();
}

Paint paint_of(StateKind state) {
  switch (state) {
    case StateKind::waiting:
    case StateKind::ready:
    case StateKind::skipped:
    case StateKind::cancelled:
      return Paint::dim;
    case StateKind::running:
    case StateKind::expanded:
      return Paint::cyan;
    case StateKind::retry_scheduled:
    case StateKind::awaiting_review:
      return Paint::yellow;
    case StateKind::succeeded:
      return Paint::green;
    case StateKind::failed:
      return Paint::red;
  }
  return Paint::plain;
}

Paint paint_of(ItemState state) {
  switch (state) {
    case ItemState::active:
      return Paint::cyan;
    case ItemState::succeeded:
      return Paint::green;
    case ItemState::failed:
      return Paint::red;
    case ItemState::cancelled:
    case ItemState::rejected:
      return Paint::dim;
  }
  return Paint::plain;
}

Paint paint_of(JobState state) {
  switch (state) {
    case JobState::running:
      return Paint::cyan;
    case JobState::paused:
      return Paint::yellow;
    case JobState::completed:
      return Paint::green;
    case JobState::failed:
      return Paint::red;
    case JobState::cancelled:
      return Paint::dim;
  }
  return Paint::plain;
}

std::string paragraph(std::string_view text) {
  std::string out;
  for (const char c : printable_lines(text::without_passwords(text))) {
    if (out.ends_with('\n')) out += "  ";
    out += c;
  }
  return out;
}

std::string error_text(const Error& error, const Style& style) {
  std::string out = style.paint(Paint::red, "error:") + " " + paragraph(error.message) + "\n";
  if (!error.help.empty()) {
    out += " " + style.paint(Paint::cyan, "= help:") + " " + paragraph(error.help) + "\n";
  }
  return out;
}

}  // namespace pawl::cli
