#pragma once

/// What was measured, as a table for people and as JSON for programs.

#include <optional>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "pawl/core/json.hpp"

namespace pawl::bench {

/// What a ratio must reach.
struct Bar {
  enum class Kind : std::uint8_t { at_least, at_most } kind = Kind::at_least;
  double value = 0;

  [[nodiscard]] bool is_met_by(double ratio) const {
    return kind == Kind::at_least ? ratio >= value : ratio <= value;
  }
};
[[nodiscard]] inline Bar at_least(double value) { return {Bar::Kind::at_least, value}; }
[[nodiscard]] inline Bar at_most(double value) { return {Bar::Kind::at_most, value}; }

/// One line: our figure beside that of a limit, of another work, or of a smaller one.
struct Line {
  std::string work;    ///< "W1 sqlite"
  std::string figure;  ///< what the numbers are: "executions/s", "p50 ms"
  Spread ours;
  std::string beside;  ///< what the second number is of; empty: there is none
  Spread other;
  double ratio = 0;  ///< ours / other, or the figure itself where nothing stands beside it
  std::optional<Bar> bar;
  std::vector<std::string> notes;

  [[nodiscard]] bool is_missed() const { return bar && !bar->is_met_by(ratio); }
};

/// A line whose ratio is that of the two medians.
[[nodiscard]] Line compared(std::string work, std::string figure, const std::vector<double>& ours,
                            std::string beside, const std::vector<double>& other,
                            std::optional<Bar> bar);

void print_heading();
void print(const Line& line);
[[nodiscard]] Json json_of(const std::vector<Line>& lines);

/// "3.2 us of processor time per execution, 2.1 times the other's"
[[nodiscard]] std::string processor_text(const Sample& ours, const Sample& other);

/// "1.00 task, 1.00 attempt, 1.01 journal rows and 412 bytes per step; 96 transactions"
[[nodiscard]] std::string text_of(const Written& wrote, std::int64_t executions);

}  // namespace pawl::bench
