#pragma once

/// The results, as a table for people and as JSON for programs.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/sample.hpp"
#include "bench/served.hpp"
#include "pawl/core/json.hpp"

namespace pawl::bench {

/// What our figure must reach: a multiple of the other's, or that plus a constant.
struct Bar {
  enum class Kind : std::uint8_t { at_least, at_most } kind = Kind::at_least;
  double times = 0;
  double plus = 0;

  [[nodiscard]] bool is_met_by(double ours, double other) const {
    return kind == Kind::at_least ? ours >= times * other : ours <= times * other + plus;
  }
};
[[nodiscard]] inline Bar at_least(double times) { return {Bar::Kind::at_least, times}; }
[[nodiscard]] inline Bar at_most(double times, double plus = 0) {
  return {Bar::Kind::at_most, times, plus};
}

/// What one side of a line wrote, to SQLite or to a server.
struct WrittenBy {
  std::string side;
  std::variant<Written, Served> wrote;
};

/// One line: our figure compared with that of a limit, of another workload, or of a smaller one.
/// Both sides were measured in turns; samples with the same index were measured one after the
/// other.
struct Line {
  std::string work;          ///< "W1 sqlite"
  std::string figure;        ///< what the numbers are: "executions/s", "p50 ms"
  std::vector<double> ours;  ///< every sample
  std::string beside;        ///< the name of the second number; empty: there is none
  std::vector<double> other;
  std::optional<Bar> bar;
  std::vector<std::string> notes;
  std::vector<WrittenBy> wrote;

  /// The ratio of the medians; without a second number, the figure itself.
  [[nodiscard]] double ratio() const;
  [[nodiscard]] bool is_missed() const;
};

void print_heading();
void print(const Line& line);
[[nodiscard]] Json json_of(const Line& line);

/// "3.2 us of processor time per execution, 2.1 times the other's"
[[nodiscard]] std::string processor_text(const Sample& ours, const Sample& other);

/// "10^6", "4e3": a size in readable form.
[[nodiscard]] std::string count_text(std::int64_t count);

}  // namespace pawl::bench
