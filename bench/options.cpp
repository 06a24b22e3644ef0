#include "bench/options.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace pawl::bench {

namespace {

constexpr char usage[] =
    "pawl_bench [--quick] [--only WORK,...] [--json] [--rounds N] [--folder DIR] [--items N] "
    "[--ours]\n"
    "\n"
    "Every work beside its limit, measured in turns. Exits with 1 when a bar is missed.\n"
    "\n"
    "  --quick   every work at a small size, in about a minute; otherwise 15 to 25 minutes,\n"
    "            with up to 10^6 items and 10^7 attempts\n"
    "  --only    W1 to W7, open, memory, idle; a part: W1-sqlite, W1-memory, W1-order,\n"
    "            W1-postgres, W5-growth, W5-log, W5-backlog, W5-submit, W7-start, W7-pages,\n"
    "            W7-rate, W7-live; or whatever the works' names contain: postgres, sqlite\n"
    "  --json    the figures with every sample as JSON instead of a table\n"
    "  --rounds  turns of each side; 5, with --quick 3\n"
    "  --folder  where the databases go: a real disk, or waiting for it costs nothing; else the\n"
    "            system's folder for temporary files\n"
    "  --items   items of W1, W4, W6 and W7\n"
    "  --ours    leaves out the limits of W1 and W6: for a profiler\n";

std::int64_t count_from(const std::string& text) {
  char* end = nullptr;
  const long long count = std::strtoll(text.c_str(), &end, 10);
  if (*end != '\0' || count <= 0) refuse("'" + text + "' is not a count");
  return count;
}

void add_names(std::vector<std::string>& names, const std::string& list) {
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) names.push_back(name);
}

}  // namespace

void refuse(const std::string& why) {
  std::fprintf(stderr, "pawl_bench: %s\n\n%s", why.c_str(), usage);
  std::exit(2);
}

Options options_from(int count, char** arguments) {
  Options options;
  options.plan.folder = std::filesystem::temp_directory_path();
  std::int64_t rounds = 0;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == count) refuse(argument + " needs a value");
      return arguments[++i];
    };
    if (argument == "--quick") {
      options.plan.full = false;
    } else if (argument == "--only") {
      add_names(options.only, value());
    } else if (argument == "--json") {
      options.json = true;
    } else if (argument == "--rounds") {
      rounds = count_from(value());
    } else if (argument == "--folder") {
      options.plan.folder = value();
    } else if (argument == "--items") {
      options.plan.items = count_from(value());
    } else if (argument == "--ours") {
      options.plan.ours_only = true;
    } else if (argument == "--steps") {  // for bench/instructions.py
      options.steps_of = value();
      options.steps_items = count_from(value());
    } else if (argument == "--drain") {  // runs as a worker process of this program
      options.drain = value();
    } else if (argument == "--help" || argument == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else {
      refuse("no option is called '" + argument + "'");
    }
  }
  std::error_code failed;
  options.plan.folder = std::filesystem::canonical(options.plan.folder, failed);
  if (failed) refuse("there is no such folder");
  options.plan.rounds = rounds > 0 ? static_cast<int>(rounds) : (options.plan.full ? 5 : 3);
  return options;
}

}  // namespace pawl::bench
