#include "bench/soak/gauges.hpp"

#include <fstream>
#include <iterator>
#include <string_view>

#include <unistd.h>

namespace pawl::soak {

namespace {

namespace fs = std::filesystem;

double mib_of(const fs::path& file) {
  std::error_code missing;
  const auto bytes = fs::file_size(file, missing);
  return missing ? 0 : static_cast<double>(bytes) / (1 << 20);
}

std::int64_t entries_in(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

double resident_mib() {
  std::ifstream pages("/proc/self/statm");
  double all = 0;
  double resident = 0;
  pages >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

Reading read_gauges(double at, const fs::path& store) {
  return {.at = at,
          .resident_mib = resident_mib(),
          .descriptors = entries_in("/proc/self/fd"),
          .threads = entries_in("/proc/self/task"),
          .log_mib = store.empty() ? 0 : mib_of(store.string() + "-wal"),
          .store_mib = store.empty() ? 0 : mib_of(store)};
}

int processes_with(const std::string& variable) {
  int found = 0;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc", gone)) {
    if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) {
      continue;
    }
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::string_view rest = text; !rest.empty();) {
      const std::size_t end = std::min(rest.find('\0'), rest.size());
      if (rest.substr(0, end) == variable) {
        ++found;
        break;
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  return found;
}

}  // namespace pawl::soak
