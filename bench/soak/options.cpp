#include "bench/soak/options.hpp"

#include <cstdio>
#include <cstdlib>

#include "text/durations.hpp"

namespace pawl::soak {

namespace {

constexpr char usage[] =
    "pawl_soak [--for TIME] [--store sqlite|postgres|memory] [--items N] [--folder DIR] [--json]\n"
    "          [--no-memory-limit]\n"
    "\n"
    "Runs the engine under mixed load for a while. Exits with 1 when a limit is missed: memory,\n"
    "descriptors, threads, the write-ahead log, drift of latency, orphans, verify.\n"
    "\n"
    "  --for     10m unless said; below 2m the drift of latency is told and not judged\n"
    "  --store   sqlite unless said; postgres starts a server of its own\n"
    "  --items   of a wave; there is about one a second; 200 unless said\n"
    "  --folder  where the store goes; else the system's folder for temporary files\n"
    "  --json    the figures as JSON at the end, the lines meanwhile on standard error\n"
    "  --no-memory-limit  tells the memory and does not judge it: for builds with a sanitizer,\n"
    "            which keep what was freed\n";

/// A short run has too few lone items for a verdict.
constexpr Duration time_with_drift = std::chrono::minutes(2);

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "pawl_soak: %s\n\n%s", why.c_str(), usage);
  std::exit(2);
}

Duration time_from(const std::string& text) {
  const std::optional<Duration> time = text::parse_duration(text);
  if (!time || *time < std::chrono::seconds(5)) {
    refuse("'" + text + "' is no time of 5s or more; write 90s, 10m or 1h");
  }
  return *time;
}

Options::Kind kind_from(const std::string& text) {
  for (const auto kind : {Options::Kind::sqlite, Options::Kind::postgres, Options::Kind::memory}) {
    if (text == name_of(kind)) return kind;
  }
  refuse("no store is called '" + text + "'");
}

std::int64_t count_from(const std::string& text) {
  char* end = nullptr;
  const long long count = std::strtoll(text.c_str(), &end, 10);
  if (*end != '\0' || count <= 0 || count > 100'000) refuse("'" + text + "' is not a count");
  return count;
}

}  // namespace

const char* name_of(Options::Kind kind) {
  switch (kind) {
    case Options::Kind::sqlite:
      return "sqlite";
    case Options::Kind::postgres:
      return "postgres";
    case Options::Kind::memory:
      return "memory";
  }
  return "";
}

Options options_from(int count, char** arguments) {
  Options options;
  options.folder = std::filesystem::temp_directory_path();
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == count) refuse(argument + " needs a value");
      return arguments[++i];
    };
    if (argument == "--for") {
      options.time = time_from(value());
    } else if (argument == "--store") {
      options.kind = kind_from(value());
    } else if (argument == "--items") {
      options.items = count_from(value());
    } else if (argument == "--folder") {
      options.folder = value();
    } else if (argument == "--json") {
      options.json = true;
    } else if (argument == "--no-memory-limit") {
      options.limits.judges_memory = false;
    } else if (argument == "--worker") {  // runs as the second process of this program
      options.worker = value();
    } else if (argument == "--run") {
      options.run_directory = value();
    } else if (argument == "--help" || argument == "-h") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else {
      refuse("no option is called '" + argument + "'");
    }
  }
  std::error_code failed;
  options.folder = std::filesystem::canonical(options.folder, failed);
  if (failed) refuse("there is no such folder");
  options.limits.judges_drift = options.time >= time_with_drift;
  // A store in memory keeps everything in memory; only a SQLite store has its log here.
  if (options.kind == Options::Kind::memory) options.limits.judges_memory = false;
  options.limits.judges_log = options.kind == Options::Kind::sqlite;
  return options;
}

}  // namespace pawl::soak
