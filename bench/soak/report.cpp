#include "bench/soak/report.hpp"

#include <string>

#include "bench/measure.hpp"

namespace pawl::soak {

namespace {

std::vector<double> passages_since(const Course& course, double since,
                                   double Passage::* value = &Passage::milliseconds) {
  std::vector<double> found;
  for (const Passage& passage : course.passages) {
    if (passage.at >= since) found.push_back(passage.*value);
  }
  return found;
}

Json json_of(const Reading& one) {
  return Json::object({{"at_s", one.at},
                       {"resident_mib", one.resident_mib},
                       {"descriptors", one.descriptors},
                       {"threads", one.threads},
                       {"log_mib", one.log_mib},
                       {"store_mib", one.store_mib}});
}

Json json_of(const Finding& one) {
  return Json::object({{"name", one.name},
                       {"measured", one.measured},
                       {"allowed", one.allowed},
                       {"unit", one.unit},
                       {"judged", one.is_judged},
                       {"missed", one.is_missed()}});
}

}  // namespace

void print_heading(std::FILE* out) {
  std::fprintf(out, "%7s %6s %8s %8s %8s %7s %6s %8s %5s %7s %7s %7s %9s %9s %9s\n", "time", "jobs",
               "items", "events", "answers", "retried", "purged", "memory", "files", "threads",
               "log", "store", "lone p50", "lone p99", "twin p50");
}

void print_line(std::FILE* out, const Course& course, WorkTally& tally, double since) {
  if (course.readings.empty()) return;
  const Reading& now = course.readings.back();
  const std::vector<double> passages = passages_since(course, since);
  std::fprintf(
      out,
      "%6.0fs %6lld %8lld %8lld %8lld %7lld %6lld %4.0f MiB %5lld %7lld %3.0f MiB %3.0f MiB "
      "%6.1f ms %6.1f ms %6.1f ms\n",
      now.at, static_cast<long long>(tally.jobs), static_cast<long long>(tally.items),
      static_cast<long long>(tally.events), static_cast<long long>(tally.answers),
      static_cast<long long>(tally.retried), static_cast<long long>(tally.purged), now.resident_mib,
      static_cast<long long>(now.descriptors), static_cast<long long>(now.threads), now.log_mib,
      now.store_mib, bench::quantile(passages, 0.5), bench::quantile(passages, 0.99),
      bench::quantile(passages_since(course, since, &Passage::beside), 0.5));
  std::fflush(out);
}

void print_findings(std::FILE* out, const std::vector<Finding>& findings) {
  std::fprintf(out, "\n%-32s %10s %10s\n", "", "measured", "allowed");
  for (const Finding& one : findings) {
    const char* const word = one.is_missed() ? "MISSED" : one.is_judged ? "" : "not judged";
    std::fprintf(out, "%-32s %10.2f %10.2f %-4s %s\n", one.name.c_str(), one.measured, one.allowed,
                 one.unit.c_str(), word);
  }
  std::fprintf(out, "\n");
  int missed = 0;
  for (const Finding& one : findings) {
    if (!one.is_missed()) continue;
    ++missed;
    std::fprintf(out, "missed: %s\n", one.text().c_str());
  }
  std::fprintf(out, missed == 0 ? "every limit was kept\n" : "%d limits missed\n", missed);
}

Json document(const Options& options, const Course& course, WorkTally& tally,
              const std::vector<Finding>& findings) {
  std::vector<Json> limits;
  for (const Finding& one : findings) limits.push_back(json_of(one));
  std::vector<Json> readings;
  for (const Reading& one : course.readings) readings.push_back(json_of(one));
  const std::vector<double> all = passages_since(course, 0);
  const std::vector<double> twins = passages_since(course, 0, &Passage::beside);
  return Json::object({{"store", name_of(options.kind)},
                       {"seconds", course.seconds},
                       {"load", Json::object({{"jobs", tally.jobs.load()},
                                              {"items", tally.items.load()},
                                              {"events", tally.events.load()},
                                              {"reads", tally.reads.load()},
                                              {"answers", tally.answers.load()},
                                              {"cancels", tally.cancels.load()},
                                              {"retried", tally.retried.load()},
                                              {"purged", tally.purged.load()},
                                              {"kills", tally.kills.load()}})},
                       {"lone", Json::object({{"count", all.size()},
                                              {"p50_ms", bench::quantile(all, 0.5)},
                                              {"p99_ms", bench::quantile(all, 0.99)},
                                              {"twin_p50_ms", bench::quantile(twins, 0.5)},
                                              {"twin_p99_ms", bench::quantile(twins, 0.99)}})},
                       {"trouble", course.trouble},
                       {"limits", Json::array(limits)},
                       {"readings", Json::array(readings)}});
}

}  // namespace pawl::soak
