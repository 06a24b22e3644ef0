/// The benchmarks. Every figure stands beside that of a limit, measured in turns in the same run:
/// an absolute rate says little about a machine that others use too.

#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <thread>

#include <sys/utsname.h>
#include <sys/vfs.h>

#include "bench/works.hpp"

namespace {

using pawl::bench::Line;
using pawl::bench::Plan;

constexpr char usage[] =
    "pawl_bench [--quick|--full] [--only WORK]... [--json] [--bars] [--dir DIR]\n"
    "           [--rounds N] [--items N] [--ours]\n\n"
    "  --quick   about a minute; the default\n"
    "  --full    more rounds, and up to a million items\n"
    "  --only    W1, W3, W4, W5 or W6; or W1-sqlite, W1-memory, W5-growth, W5-backlog\n"
    "  --json    the figures as JSON instead of a table\n"
    "  --bars    exits with 1 when a bar is missed\n"
    "  --dir     where the databases go; a real disk, or waiting for it costs nothing\n"
    "  --rounds  turns of each side; 3, with --full 5\n"
    "  --items   items of W1 and W4\n"
    "  --ours    leaves out the limits of W1: for a profiler\n";

struct Options {
  Plan plan;
  std::set<std::string> only;
  bool json = false;
  bool bars = false;
};

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "pawl_bench: %s\n\n%s", why.c_str(), usage);
  std::exit(2);
}

std::int64_t count_from(const std::string& text) {
  char* end = nullptr;
  const long long count = std::strtoll(text.c_str(), &end, 10);
  if (*end != '\0' || count <= 0) refuse("'" + text + "' is not a count");
  return count;
}

Options options_from(int count, char** arguments) {
  Options options;
  options.plan.folder = std::filesystem::temp_directory_path();
  int rounds = 0;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == count) refuse(argument + " needs a value");
      return arguments[++i];
    };
    if (argument == "--quick") {
      options.plan.full = false;
    } else if (argument == "--full") {
      options.plan.full = true;
    } else if (argument == "--only") {
      options.only.insert(value());
    } else if (argument == "--json") {
      options.json = true;
    } else if (argument == "--bars") {
      options.bars = true;
    } else if (argument == "--ours") {
      options.plan.ours_only = true;
    } else if (argument == "--dir") {
      options.plan.folder = value();
    } else if (argument == "--rounds") {
      rounds = static_cast<int>(count_from(value()));
    } else if (argument == "--items") {
      options.plan.items = count_from(value());
    } else if (argument == "--help" || argument == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else {
      refuse("no option is called '" + argument + "'");
    }
  }
  options.plan.rounds = rounds > 0 ? rounds : (options.plan.full ? 5 : 3);
  return options;
}

/// The works by name; "W1" means every one whose name begins so.
struct Work {
  std::string name;
  std::function<std::vector<Line>(const Plan&)> measure;
};

std::vector<Work> works() {
  using namespace pawl::bench;
  return {{"W1-sqlite", [](const Plan& plan) { return std::vector{w1_sqlite(plan)}; }},
          {"W1-memory", [](const Plan& plan) { return std::vector{w1_memory(plan)}; }},
          {"W3", w3},
          {"W4", [](const Plan& plan) { return std::vector{w4(plan)}; }},
          {"W5-growth", w5_growth},
          {"W5-backlog", w5_backlog},
          {"W6", [](const Plan& plan) { return std::vector{w6(plan)}; }}};
}

bool is_wanted(const std::string& name, const std::set<std::string>& only) {
  if (only.empty()) return true;
  for (const std::string& wanted : only) {
    if (name == wanted || name.starts_with(wanted + "-")) return true;
  }
  return false;
}

void print_machine(const Plan& plan) {
  constexpr long tmpfs_magic = 0x01021994;
  struct utsname system{};
  ::uname(&system);
  std::printf("%s %s, %u processors, databases in %s\n", system.sysname, system.machine,
              std::thread::hardware_concurrency(), plan.folder.c_str());
  struct statfs disk{};
  if (::statfs(plan.folder.c_str(), &disk) == 0 && disk.f_type == tmpfs_magic) {
    std::printf("That folder is in memory: nothing here waits for a disk. Use --dir.\n");
  }
  std::printf("\n");
}

}  // namespace

int main(int count, char** arguments) {
  const Options options = options_from(count, arguments);
  if (!options.json) {
    print_machine(options.plan);
    pawl::bench::print_heading();
  }
  std::vector<Line> lines;
  for (const Work& work : works()) {
    if (!is_wanted(work.name, options.only)) continue;
    for (Line& line : work.measure(options.plan)) {
      if (!options.json) pawl::bench::print(line);
      lines.push_back(std::move(line));
    }
  }
  if (lines.empty()) refuse("no work is called that");
  if (options.json) std::printf("%s\n", pawl::bench::json_of(lines).text().c_str());
  int missed = 0;
  for (const Line& line : lines) missed += line.is_missed() ? 1 : 0;
  if (!options.json && missed > 0) std::printf("\n%d bars missed\n", missed);
  return options.bars && missed > 0 ? 1 : 0;
}
