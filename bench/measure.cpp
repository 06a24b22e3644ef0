#include "bench/measure.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pawl::bench {

namespace {

/// What to remove, and which process does it: a child process leaves it to its parent.
struct LeftBehind {
  std::filesystem::path folder;
  pid_t owner = 0;
  std::vector<void (*)()> ends;
};
LeftBehind& left_behind() {
  static LeftBehind one;
  return one;
}

}  // namespace

void give_up(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  if (left_behind().owner == ::getpid()) {
    // Forgotten first, because they may call `give_up` themselves.
    for (void (*const end)() : std::exchange(left_behind().ends, {})) end();
    std::error_code ignored;
    std::filesystem::remove_all(left_behind().folder, ignored);
  }
  std::_Exit(2);
}

void before_giving_up(void (*end)()) {
  std::vector<void (*)()>& ends = left_behind().ends;
  if (std::ranges::find(ends, end) == ends.end()) ends.push_back(end);
}

void leave_nothing_in(const std::filesystem::path& folder) {
  left_behind() = {.folder = folder, .owner = ::getpid(), .ends = {}};
  // Ctrl-C reaches the measuring child too; when that has exited, this process gives up.
  std::signal(SIGINT, SIG_IGN);
}

double processor_seconds(Whose whose) {
  struct rusage used{};
  ::getrusage(whose == Whose::own ? RUSAGE_SELF : RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::int64_t peak_memory_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return 0;
}

std::int64_t allocated_bytes() {
  const struct mallinfo2 heap = ::mallinfo2();
  return static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
}

void fill_in_child(void* answer, std::size_t size, const std::function<void(void*)>& work) {
  int ends[2];
  if (::pipe(ends) != 0) give_up("no pipe");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) give_up("no child process");
  if (child == 0) {
    ::close(ends[0]);
    std::signal(SIGINT, SIG_DFL);
    work(answer);
    std::FILE* const out = ::fdopen(ends[1], "wb");
    const bool sent = std::fwrite(answer, size, 1, out) == 1 && std::fclose(out) == 0;
    std::_Exit(sent ? 0 : 2);
  }
  ::close(ends[1]);
  std::FILE* const in = ::fdopen(ends[0], "rb");
  const bool came = std::fread(answer, size, 1, in) == 1;
  std::fclose(in);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!came || status != 0) give_up("a measurement failed");
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto place = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
  return values[place];
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
