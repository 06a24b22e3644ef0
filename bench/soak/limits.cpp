#include "bench/soak/limits.hpp"

#include <algorithm>
#include <cstdio>

#include "bench/measure.hpp"

namespace pawl::soak {

namespace {

using bench::quantile;

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text,
                value == static_cast<double>(static_cast<long long>(value)) ? "%.0f" : "%.2f",
                value);
  return text;
}

/// The values of the rows in this range, whose ends are shares of the whole time.
template <class Row, class Value>
std::vector<double> values_in(const std::vector<Row>& rows, double seconds, double from, double to,
                              Value Row::* value) {
  std::vector<double> found;
  for (const Row& row : rows) {
    if (row.at >= from * seconds && row.at < to * seconds) {
      found.push_back(static_cast<double>(row.*value));
    }
  }
  return found;
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

/// How much the fitted line rises from the first point to the last.
double climb(const std::vector<Reading>& readings, double from) {
  double n = 0, sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0, first = 0, last = 0;
  for (const Reading& reading : readings) {
    if (reading.at < from) continue;
    if (n == 0) first = reading.at;
    last = reading.at;
    ++n;
    sum_x += reading.at;
    sum_y += reading.resident_mib;
    sum_xx += reading.at * reading.at;
    sum_xy += reading.at * reading.resident_mib;
  }
  const double spread = n * sum_xx - sum_x * sum_x;
  return n < 3 || spread <= 0 ? 0 : (n * sum_xy - sum_x * sum_y) / spread * (last - first);
}

}  // namespace

std::string Finding::text() const {
  if (!said.empty()) return said;
  const std::string space = unit.empty() || unit == "x" ? "" : " ";
  return name + ": " + number_text(measured) + space + unit + ", where " + number_text(allowed) +
         space + unit + " are allowed";
}

std::vector<Finding> judge(const Course& course, const Limits& limits) {
  const double whole = course.seconds;
  const auto second_fifth = [&](auto value) {
    return values_in(course.readings, whole, 0.2, 0.4, value);
  };
  const auto last_fifth = [&](auto value) {
    return values_in(course.readings, whole, 0.8, 2.0, value);
  };
  std::vector<Finding> findings;
  findings.push_back({.name = "growth of resident memory",
                      .measured = quantile(last_fifth(&Reading::resident_mib), 0.5) -
                                  quantile(second_fifth(&Reading::resident_mib), 0.5),
                      .allowed = limits.resident_growth_mib,
                      .unit = "MiB",
                      .is_judged = limits.judges_memory});
  findings.push_back({.name = "its trend over the second half",
                      .measured = climb(course.readings, whole / 2),
                      .allowed = limits.resident_trend_mib,
                      .unit = "MiB",
                      .is_judged = limits.judges_memory});
  // Commands come and go with their own descriptors; a leak stays for ever.
  findings.push_back({.name = "descriptors more than before",
                      .measured = quantile(last_fifth(&Reading::descriptors), 0.1) -
                                  quantile(second_fifth(&Reading::descriptors), 0.1),
                      .allowed = static_cast<double>(limits.more_descriptors)});
  findings.push_back({.name = "threads more than before",
                      .measured = quantile(last_fifth(&Reading::threads), 0.5) -
                                  quantile(second_fifth(&Reading::threads), 0.5),
                      .allowed = static_cast<double>(limits.more_threads)});
  findings.push_back(
      {.name = "largest write-ahead log",
       .measured = largest(values_in(course.readings, whole, 0, 2, &Reading::log_mib)),
       .allowed = limits.log_mib,
       .unit = "MiB",
       .is_judged = limits.judges_log});

  const auto early = [&](auto value) { return values_in(course.passages, whole, 0.2, 0.4, value); };
  const auto late = [&](auto value) { return values_in(course.passages, whole, 0.8, 2.0, value); };
  // The other item was delayed by other load on the machine just as much.
  const auto drift = [&](double share) {
    const double before =
        quantile(early(&Passage::milliseconds), share) / quantile(early(&Passage::beside), share);
    const double after =
        quantile(late(&Passage::milliseconds), share) / quantile(late(&Passage::beside), share);
    return before > 0 && after > 0 ? after / before : 1.0;
  };
  const bool has_both =
      !early(&Passage::milliseconds).empty() && !late(&Passage::milliseconds).empty();
  findings.push_back({.name = "drift of a lone item's median",
                      .measured = drift(0.5),
                      .allowed = limits.median_drift,
                      .unit = "x",
                      .is_judged = limits.judges_drift});
  findings.push_back({.name = "drift of its 99th percentile",
                      .measured = drift(0.99),
                      .allowed = limits.tail_drift,
                      .unit = "x",
                      .is_judged = limits.judges_drift});
  findings.push_back({.name = "lone items that nobody saw", .measured = has_both ? 0.0 : 1.0});

  findings.push_back({.name = "orphan processes", .measured = static_cast<double>(course.orphans)});
  findings.push_back(
      {.name = "jobs without an end", .measured = static_cast<double>(course.unfinished)});
  findings.push_back(
      {.name = "broken promises (verify)", .measured = static_cast<double>(course.violations)});
  findings.push_back({.name = "errors that nothing explains",
                      .measured = course.trouble.empty() ? 0.0 : 1.0,
                      .said = course.trouble});
  return findings;
}

}  // namespace pawl::soak
