#include "cli/output/criteria_view.hpp"

#include <algorithm>
#include <span>

namespace pawl::cli {
namespace {

using views::CriterionCell;
using views::CriterionRow;
using views::OutputChange;
using views::OutputDifference;
using views::Trend;

constexpr std::size_t text_width_max = 40;
/// The value that a met criterion has matters little, and leaves room for more attempts.
constexpr std::size_t met_width_max = 16;
/// A cell has "yes, " or "no, " before its text.
constexpr std::size_t cell_width_max = text_width_max + 5;
/// No column of an attempt takes less than its heading and the space before it.
constexpr std::size_t attempt_width_min = 4;

Paint paint_of(Trend trend) {
  switch (trend) {
    case Trend::met:
      return Paint::green;
    case Trend::converging:
    case Trend::stalled:
      return Paint::yellow;
    case Trend::worse:
      return Paint::red;
  }
  return Paint::plain;
}

/// "no, 2", or "no, 2 (>= 9)" if the expectation is not the newest one.
Table::Cell shown_cell(const CriterionRow& row, AttemptNumber attempt) {
  const CriterionCell* const cell = row.in(attempt);
  if (cell == nullptr) return {""};
  std::string text = cell->passed ? "yes" : "no";
  if (!cell->actual.empty())
    text += ", " + shortened(cell->actual, cell->passed ? met_width_max : text_width_max);
  if (cell->expected != row.cells.back().expected) text += " (" + cell->expected + ")";
  return {text, cell->passed ? Paint::green : Paint::red};
}

Table table_of(const std::vector<CriterionRow>& rows, std::span<const AttemptNumber> attempts) {
  // Only records of older versions have criteria without a gate.
  const bool has_gates = !std::ranges::all_of(rows, &std::string::empty, &CriterionRow::gate);
  std::vector<Table::Column> columns;
  if (has_gates) columns.push_back({"GATE", Table::Align::left, 24});
  columns.push_back({"CRITERION", Table::Align::left, text_width_max});
  columns.push_back({"EXPECTED", Table::Align::left, text_width_max});
  for (const AttemptNumber attempt : attempts) {
    columns.push_back({"#" + std::to_string(attempt), Table::Align::left, cell_width_max});
  }
  columns.push_back({"TREND"});
  Table table(std::move(columns));
  for (const CriterionRow& row : rows) {
    std::vector<Table::Cell> cells;
    if (has_gates) cells.emplace_back(row.gate);
    cells.emplace_back(row.name);
    cells.emplace_back(row.cells.back().expected);
    for (const AttemptNumber attempt : attempts) cells.push_back(shown_cell(row, attempt));
    cells.emplace_back(row.trend ? std::string(name_of(*row.trend)) : std::string(),
                       row.trend ? paint_of(*row.trend) : Paint::plain);
    table.add(std::move(cells));
  }
  return table;
}

std::string size_in_words(std::int64_t bytes) {
  if (bytes == 0) return "the same size";
  return bytes_in_words(std::abs(bytes)) + (bytes > 0 ? " larger" : " smaller");
}

}  // namespace

std::string criteria_text(const std::vector<CriterionRow>& rows, const Style& style) {
  if (rows.empty()) return {};
  const std::vector<AttemptNumber> all = views::attempts_in(rows);
  std::span<const AttemptNumber> shown(all);
  if (style.width > 0) {
    shown = shown.last(std::clamp<std::size_t>(style.width / attempt_width_min, 1, shown.size()));
  }
  Table table = table_of(rows, shown);
  while (style.width > 0 && shown.size() > 1 && table.width_min() > style.width) {
    shown = shown.last(shown.size() - 1);
    table = table_of(rows, shown);
  }
  std::string out = table.text(style);
  if (shown.size() < all.size()) {
    const auto left_out = static_cast<std::int64_t>(all.size() - shown.size());
    out +=
        "not shown: " + counted(left_out, "older attempt") + "; use a wider terminal, or --json\n";
  }
  return out;
}

std::string output_change_text(const std::vector<OutputChange>& changes, AttemptNumber attempt) {
  const auto change = std::ranges::find(changes, attempt, &OutputChange::attempt);
  if (change == changes.end()) return {};
  if (change->same_as) return "same output as attempt " + std::to_string(*change->same_as) + "\n";
  if (!change->difference) return {};
  const OutputDifference& difference = *change->difference;
  return "output changed since attempt " + std::to_string(difference.from) + ": " +
         counted(difference.lines_added, "line") + " added, " +
         counted(difference.lines_removed, "line") + " removed, " +
         size_in_words(difference.bytes) + "\n";
}

}  // namespace pawl::cli
