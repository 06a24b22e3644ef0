#include "bench/report.hpp"

#include <cmath>
#include <cstdio>

namespace pawl::bench {

namespace {

std::string formatted(const char* format, auto... values) {
  char text[256];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string with_spread(const Spread& value) {
  const int digits = value.median >= 1'000 ? 0 : value.median >= 10 ? 1 : 2;
  return formatted("%.*f ±%.0f%%", digits, value.median, value.percent);
}

std::string text_of(const std::optional<Bar>& bar) {
  if (!bar) return "";
  return formatted("%s %.2f", bar->kind == Bar::Kind::at_least ? ">=" : "<=", bar->value);
}

std::string verdict(const Line& line) {
  if (!line.bar) return "";
  return line.is_missed() ? "MISSED" : "met";
}

Json rounded(double value) { return std::round(value * 1'000) / 1'000; }

}  // namespace

Line compared(std::string work, std::string figure, const std::vector<double>& ours,
              std::string beside, const std::vector<double>& other, std::optional<Bar> bar) {
  Line line{.work = std::move(work),
            .figure = std::move(figure),
            .ours = spread_of(ours),
            .beside = std::move(beside),
            .other = spread_of(other),
            .bar = bar};
  line.ratio = other.empty() ? line.ours.median : line.ours.median / line.other.median;
  return line;
}

void print_heading() {
  // The last column but two is wider by one byte for each ± above.
  std::printf("%-24s %-16s %14s  %-24s %14s  %6s  %-8s\n", "work", "figure", "ours", "beside", "",
              "ratio", "bar");
}

void print(const Line& line) {
  const std::string other = line.beside.empty() ? std::string(14, ' ') : with_spread(line.other);
  std::printf("%-24s %-16s %15s  %-24s %*s  %6.2f  %-8s %s\n", line.work.c_str(),
              line.figure.c_str(), with_spread(line.ours).c_str(), line.beside.c_str(),
              line.beside.empty() ? 14 : 15, other.c_str(), line.ratio, text_of(line.bar).c_str(),
              verdict(line).c_str());
  for (const std::string& note : line.notes) std::printf("    %s\n", note.c_str());
  std::fflush(stdout);
}

Json json_of(const std::vector<Line>& lines) {
  std::vector<Json> all;
  for (const Line& line : lines) {
    std::vector<Json> notes(line.notes.begin(), line.notes.end());
    const Json bar = line.bar ? Json(text_of(line.bar)) : Json();
    const Json met = line.bar ? Json(!line.is_missed()) : Json();
    all.push_back(Json::object({{"work", line.work},
                                {"figure", line.figure},
                                {"ours", rounded(line.ours.median)},
                                {"ours_spread_percent", rounded(line.ours.percent)},
                                {"beside", line.beside},
                                {"other", rounded(line.other.median)},
                                {"other_spread_percent", rounded(line.other.percent)},
                                {"ratio", rounded(line.ratio)},
                                {"bar", bar},
                                {"met", met},
                                {"notes", Json::array(notes)}}));
  }
  return Json::array(all);
}

std::string processor_text(const Sample& ours, const Sample& other) {
  const double own = ours.processor_microseconds_each();
  const double others = other.processor_microseconds_each();
  if (!(others > 0)) return formatted("%.1f us of processor time per execution", own);
  return formatted("%.1f us of processor time per execution, beside %.1f: %.1f times", own, others,
                   own / others);
}

std::string text_of(const Written& wrote, std::int64_t executions) {
  const auto per_step = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(executions);
  };
  return formatted(
      "%.2f task, %.2f attempt, %.2f journal rows and %.0f bytes per step; "
      "%lld transactions of %.0f steps",
      per_step(wrote.tasks), per_step(wrote.attempts), per_step(wrote.journal),
      per_step(wrote.bytes), static_cast<long long>(wrote.transactions),
      wrote.transactions == 0 ? 0.0 : 1.0 / per_step(wrote.transactions));
}

}  // namespace pawl::bench
