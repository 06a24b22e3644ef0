#pragma once

/// Formats output for people: tables, colours, times, numbers, and labels of states.
///
/// Text from outside (keys, messages) is made printable first, so that it stays in its line and its
/// column.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actions/limits.hpp"
#include "cli/cli.hpp"
#include "cli/output/escaped_text.hpp"
#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"
#include "text/durations.hpp"
#include "text/numbers.hpp"
#include "views/labels.hpp"

namespace pawl::cli {

enum class Paint : std::uint8_t { plain, bold, dim, red, green, yellow, cyan };

/// Colours text, if colours are on.
struct Style {
  bool colour = false;
  std::size_t width = 0;  ///< of the terminal, in columns; 0: unlimited
  [[nodiscard]] std::string paint(Paint paint, std::string_view text) const;
};
/// Whether to use colours: `--color`, then NO_COLOR, CLICOLOR_FORCE, then whether it is a terminal.
[[nodiscard]] bool wants_colour(Colour choice, bool is_terminal);

/// The width of the text on a terminal, in columns.
[[nodiscard]] std::size_t display_width(std::string_view text);
/// The text cut to a width, with an ellipsis if something is missing.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t width);

/// Rows under headings. Columns are as wide as their widest cell, two spaces apart, and no line
/// ends in spaces. Cells are made printable. On a narrow terminal the widest cells are wrapped
/// inside their column.
class Table {
 public:
  enum class Align : std::uint8_t { left, right };
  struct Column {
    std::string heading;
    Align align = Align::left;
    std::size_t width_max = 0;  ///< longer cells are shortened; 0: never
    bool is_optional = false;   ///< left out if all of its cells are empty
  };
  struct Cell {
    Cell(std::string words, Paint how = Paint::plain)  // NOLINT(google-explicit-constructor)
        : text(std::move(words)), paint(how) {}
    Cell(const char* words) : text(words) {}  // NOLINT(google-explicit-constructor)
    std::string text;
    Paint paint = Paint::plain;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// The table without its optional columns that are empty.
  [[nodiscard]] Table without_empty_columns() const;
  void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// With the headings; every line ends in a newline.
  [[nodiscard]] std::string text(const Style& style) const;
  /// The narrowest terminal that the table fits.
  [[nodiscard]] std::size_t width_min() const;

 private:
  /// The rows as they are shown when there is room.
  [[nodiscard]] std::vector<std::vector<Cell>> shown_rows() const;
  [[nodiscard]] std::vector<std::size_t> widths_of(
      const std::vector<std::vector<Cell>>& shown) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

/// How times are shown.
struct Times {
  TimeStyle style = TimeStyle::relative;
  Timestamp now;
  /// "9m ago", "in 41s", "now"; or the local or UTC time. "-" if there is none.
  [[nodiscard]] std::string of(Timestamp time) const;
  /// For a log: the time of day instead of a relative time, because a list of "9m ago" is hard to
  /// read.
  [[nodiscard]] std::string of_entry(Timestamp time) const;
};

using actions::parse_duration;
using text::in_words;
using text::with_separators;
/// "$18.20"
[[nodiscard]] std::string dollars(std::int64_t microusd);
using text::bytes_in_words;
using text::counted;

using views::label_of;
[[nodiscard]] Paint paint_of(StateKind state);
[[nodiscard]] Paint paint_of(ItemState state);
[[nodiscard]] Paint paint_of(JobState state);

/// A message made printable, without the passwords of addresses. Lines after the first are
/// indented, so that quoted text cannot look like a message of its own.
[[nodiscard]] std::string paragraph(std::string_view text);

/// "error: message" and " = help: …", each line with its newline.
[[nodiscard]] std::string error_text(const Error& error, const Style& style);

}  // namespace pawl::cli
