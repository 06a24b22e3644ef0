#include "bench/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bench/measure.hpp"

namespace pawl::bench {

namespace {

std::string formatted(const char* format, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

double median_of(const std::vector<double>& values) { return quantile(values, 0.5); }

/// The outermost samples; of many, the range of the middle four fifths, because more samples
/// contain stranger outliers.
struct Range {
  double least = 0;
  double most = 0;
};
Range range_of(const std::vector<double>& values) {
  const double left_out = values.size() < 10 ? 0 : 0.1;
  return {.least = quantile(values, left_out), .most = quantile(values, 1 - left_out)};
}

/// The distance from the median, in percent of it.
double spread_percent(const std::vector<double>& values) {
  const double median = median_of(values);
  if (median == 0) return 0;
  const auto [least, most] = range_of(values);
  return 100.0 * std::max(most - median, median - least) / median;
}

std::string with_spread(const std::vector<double>& values) {
  const double median = median_of(values);
  const int digits = median >= 1'000 ? 0 : median >= 10 ? 1 : 2;
  if (values.size() < 2) return formatted("%.*f     ", digits, median);
  return formatted("%.*f ±%2.0f%%", digits, median, spread_percent(values));
}

/// The ratios of samples that were measured one after the other.
std::vector<double> pair_ratios(const Line& line) {
  std::vector<double> ratios;
  if (line.ours.size() != line.other.size()) return ratios;
  for (std::size_t i = 0; i < line.ours.size(); ++i) {
    ratios.push_back(line.ours[i] / line.other[i]);
  }
  return ratios;
}

std::string pairs_text(const Line& line) {
  const std::vector<double> ratios = pair_ratios(line);
  if (ratios.size() < 2) return "";
  const auto [least, most] = range_of(ratios);
  return formatted("%.2f..%.2f", least, most);
}

std::string text_of(const std::optional<Bar>& bar) {
  if (!bar) return "";
  const char* const sign = bar->kind == Bar::Kind::at_least ? ">=" : "<=";
  if (bar->times == 0) return formatted("%s %.0f", sign, bar->plus);
  std::string text = formatted("%s %.2f", sign, bar->times);
  if (bar->plus > 0) text += formatted(" + %.0f", bar->plus);
  return text;
}

std::string verdict(const Line& line) {
  if (!line.bar) return "";
  return line.is_missed() ? "MISSED" : "met";
}

Json rounded(double value) { return std::round(value * 1'000) / 1'000; }

Json json_of(const std::vector<double>& samples) {
  std::vector<Json> all;
  for (const double sample : samples) all.push_back(rounded(sample));
  return Json::object({{"median", rounded(median_of(samples))},
                       {"spread_percent", rounded(spread_percent(samples))},
                       {"samples", Json::array(all)}});
}

}  // namespace

double Line::ratio() const {
  return other.empty() ? median_of(ours) : median_of(ours) / median_of(other);
}

bool Line::is_missed() const {
  return bar && !bar->is_met_by(median_of(ours), other.empty() ? 1.0 : median_of(other));
}

void print_heading() {
  std::printf("%-26s %-18s %14s  %-22s %14s %6s %-11s %-11s\n", "work", "figure", "ours", "beside",
              "", "ratio", "in pairs", "bar");
}

void print(const Line& line) {
  // ± is one column and two bytes.
  const auto column = [](const std::vector<double>& values) {
    const std::string text = values.empty() ? "" : with_spread(values);
    const int width = text.contains("±") ? 15 : 14;
    return formatted("%*s", width, text.c_str());
  };
  std::printf("%-26s %-18s %s  %-22s %s %6.2f %-11s %-11s %s\n", line.work.c_str(),
              line.figure.c_str(), column(line.ours).c_str(), line.beside.c_str(),
              column(line.other).c_str(), line.ratio(), pairs_text(line).c_str(),
              text_of(line.bar).c_str(), verdict(line).c_str());
  if (!line.wrote.empty()) {
    const bool is_served = std::holds_alternative<Served>(line.wrote.front().wrote);
    std::printf("    %-15s%s\n", "wrote",
                is_served ? served_heading().c_str() : written_heading().c_str());
    for (const WrittenBy& by : line.wrote) {
      const std::string text = std::visit([](const auto& one) { return text_of(one); }, by.wrote);
      std::printf("    %-15s%s\n", by.side.c_str(), text.c_str());
    }
  }
  for (const std::string& note : line.notes) std::printf("    %s\n", note.c_str());
  std::fflush(stdout);
}

Json json_of(const Line& line) {
  std::vector<Json> pairs;
  for (const double ratio : pair_ratios(line)) pairs.push_back(rounded(ratio));
  std::vector<std::pair<std::string, Json>> wrote;
  for (const WrittenBy& by : line.wrote) {
    wrote.emplace_back(by.side, std::visit([](const auto& one) { return json_of(one); }, by.wrote));
  }
  const std::vector<Json> notes(line.notes.begin(), line.notes.end());
  return Json::object({{"work", line.work},
                       {"figure", line.figure},
                       {"ours", json_of(line.ours)},
                       {"beside", line.beside.empty() ? Json() : Json(line.beside)},
                       {"other", line.other.empty() ? Json() : json_of(line.other)},
                       {"ratio", rounded(line.ratio())},
                       {"pair_ratios", Json::array(pairs)},
                       {"bar", line.bar ? Json(text_of(line.bar)) : Json()},
                       {"met", line.bar ? Json(!line.is_missed()) : Json()},
                       {"wrote", Json::object(wrote)},
                       {"notes", Json::array(notes)}});
}

std::string processor_text(const Sample& ours, const Sample& other) {
  const double own = ours.processor_microseconds_each();
  const double others = other.processor_microseconds_each();
  if (!(others > 0)) return formatted("%.1f us of processor time per execution", own);
  return formatted("%.1f us of processor time per execution, beside %.1f: %.1f times", own, others,
                   own / others);
}

std::string count_text(std::int64_t count) {
  int zeros = 0;
  while (count % 10 == 0 && count > 1) {
    count /= 10;
    ++zeros;
  }
  return count == 1 ? "10^" + std::to_string(zeros)
                    : std::to_string(count) + "e" + std::to_string(zeros);
}

}  // namespace pawl::bench
