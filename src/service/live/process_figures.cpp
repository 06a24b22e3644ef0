#include "service/live/process_figures.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace pawl::service {
namespace {

std::string contents(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The fields of /proc/self/stat from the third one on. The second one, the name of the program in
/// parentheses, may contain anything.
std::vector<double> stat_fields() {
  const std::string text = contents("/proc/self/stat");
  const std::size_t end = text.rfind(')');
  std::vector<double> fields;
  if (end == std::string::npos) return fields;
  std::istringstream rest(text.substr(end + 1));
  std::string state;
  rest >> state;
  for (double value = 0; rest >> value;) fields.push_back(value);
  return fields;
}

/// When the machine started, in seconds since 1970.
double boot_time() {
  std::istringstream lines(contents("/proc/stat"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("btime ")) return std::stod(line.substr(6));
  }
  return 0;
}

}  // namespace

ProcessFigures process_figures() {
  ProcessFigures figures;
  const auto ticks = static_cast<double>(std::max<long>(::sysconf(_SC_CLK_TCK), 1));
  // The numbers are those of proc(5), which counts from 1; the first one here is field 4.
  const std::vector<double> fields = stat_fields();
  const auto field = [&](std::size_t number) {
    return number - 4 < fields.size() ? fields[number - 4] : 0;
  };
  figures.cpu_seconds = (field(14) + field(15)) / ticks;
  figures.threads = field(20);
  figures.resident_bytes = field(24) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double boot = boot_time();
  if (boot > 0) figures.started_at = boot + field(22) / ticks;
  std::error_code failed;
  for (std::filesystem::directory_iterator fd("/proc/self/fd", failed), end; !failed && fd != end;
       fd.increment(failed)) {
    ++figures.open_fds;
  }
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    figures.max_fds = static_cast<double>(limit.rlim_cur);
  }
  return figures;
}

}  // namespace pawl::service
