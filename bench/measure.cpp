#include "bench/measure.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pawl::bench {

namespace {

/// VmHWM: the most this process ever had in memory.
std::int64_t peak_memory_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return 0;
}

}  // namespace

void give_up(const std::string& why) {
  std::fprintf(stderr, "pawl_bench: %s\n", why.c_str());
  std::_Exit(2);
}

double processor_seconds() {
  struct rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Sample in_child(const std::function<Sample()>& work) {
  int ends[2];
  if (::pipe(ends) != 0) give_up("no pipe");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) give_up("no child process");
  if (child == 0) {
    ::close(ends[0]);
    Sample sample = work();
    sample.peak_kib = peak_memory_kib();
    const bool sent = ::write(ends[1], &sample, sizeof sample) == sizeof sample;
    std::_Exit(sent ? 0 : 2);
  }
  ::close(ends[1]);
  Sample sample;
  const bool came = ::read(ends[0], &sample, sizeof sample) == sizeof sample;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!came || status != 0) give_up("a measurement failed");
  return sample;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  return values[place];
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  const auto [least, most] = std::ranges::minmax(values);
  const double median = quantile(std::move(values), 0.5);
  return {.median = median, .percent = median == 0 ? 0 : 50.0 * (most - least) / median};
}

Folder::Folder(const std::filesystem::path& parent) {
  std::string name = (parent / "pawl_bench.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    give_up("cannot make a folder in '" + parent.string() + "'");
  path_ = name;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace pawl::bench
