#include "actions/process_table.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <time.h>
#include <unistd.h>

namespace pawl::actions {

namespace {

/// Reads to the end, because the size of a file in /proc is not known before.
std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace

std::optional<ProcessEntry> process_entry(pid_t pid) {
  const std::string text = read_whole("/proc/" + std::to_string(pid) + "/stat");
  // The program name is in parentheses and may contain any character.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  ProcessEntry entry{.pid = pid};
  pid_t parent = 0;
  fields >> entry.state >> parent >> entry.group;
  std::string passed_over;
  for (int field = 6; field < 22; ++field) fields >> passed_over;
  fields >> entry.started;
  if (!fields) return std::nullopt;
  return entry;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> found;
  std::error_code error;
  for (std::filesystem::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc{} && read.ptr == name.data() + name.size()) found.push_back(pid);
  }
  return found;
}

bool has_variable(pid_t pid, std::string_view variable, bool is_beginning) {
  const std::string text = read_whole("/proc/" + std::to_string(pid) + "/environ");
  for (std::size_t at = text.find(variable); at != std::string::npos;
       at = text.find(variable, at + 1)) {
    const std::size_t end = at + variable.size();
    const bool ends_there = is_beginning || end == text.size() || text[end] == '\0';
    if ((at == 0 || text[at - 1] == '\0') && ends_there) return true;
  }
  return false;
}

bool has_living_members(pid_t group) {
  return std::ranges::any_of(all_processes(), [&](pid_t pid) {
    const auto entry = process_entry(pid);
    return entry && entry->group == group && entry->is_living();
  });
}

std::uint64_t ticks_now() {
  static const auto ticks_per_second = static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * ticks_per_second +
         static_cast<std::uint64_t>(now.tv_nsec) / (1'000'000'000 / ticks_per_second);
}

std::string boot_id() {
  std::string id = read_whole("/proc/sys/kernel/random/boot_id");
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

}  // namespace pawl::actions
