#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/descriptor.hpp"
#include "actions/end_processes.hpp"
#include "actions/mark_file.hpp"
#include "actions/marks.hpp"
#include "actions/process_table.hpp"
#include "pawl/actions/actions.hpp"

namespace pawl {

namespace fs = std::filesystem;

namespace {

/// The mark, when its owner is dead; holding the answer keeps others from ending the same.
std::optional<Descriptor> take_over(const fs::path& path) {
  Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open() || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return std::nullopt;
  struct stat open_file{};
  struct stat named_file{};
  const bool is_still_there = ::fstat(file.get(), &open_file) == 0 &&
                              ::stat(path.c_str(), &named_file) == 0 &&
                              open_file.st_ino == named_file.st_ino;
  if (!is_still_there) return std::nullopt;
  return file;
}

fs::path folder_of(fs::path mark) { return mark.replace_extension(); }

std::vector<fs::path> marks_in(const fs::path& run_directory) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(run_directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == mark_suffix) found.push_back(entry->path());
  }
  return found;
}

bool is_of_this_boot(const MarkText& mark) { return !mark.token.empty() && mark.boot == boot_id(); }

int end_attempt(const MarkText& mark, const MarkLine& line, Duration grace) {
  if (!is_of_this_boot(mark)) return 0;
  return end_processes(
      {.variable = "PAWL_RUN=" + attempt_token(mark.token, line.number), .groups = {line.group}},
      grace);
}

/// … of every attempt, also of those whose line was lost.
int end_all_attempts(const MarkText& mark, Duration grace) {
  if (!is_of_this_boot(mark)) return 0;
  Wanted wanted{.variable = "PAWL_RUN=" + mark.token + ".", .is_beginning = true, .groups = {}};
  for (const MarkLine& line : mark.lines) {
    if (line.number != 0) wanted.groups.push_back(line.group);
  }
  return end_processes(wanted, grace);
}

void forget(const fs::path& path) {
  remove_tree(folder_of(path));
  ::unlink(path.c_str());
}

/// Ends what the dead owner of this mark has left of one task, and forgets that.
int clear_task(const fs::path& path, TaskId task, AttemptNumber current, Duration grace) {
  const auto held = take_over(path);
  if (!held) return 0;
  MarkText mark = read_mark(path);
  int ended = 0;
  for (std::size_t place = 0; place < mark.lines.size(); ++place) {
    MarkLine& line = mark.lines[place];
    if (!is_earlier(line, task, current)) continue;
    ended += end_attempt(mark, line, grace);
    remove_tree(folder_of(path) / line.name);
    clear_mark_line(held->get(), 1 + place);
    line.number = 0;
  }
  if (std::ranges::all_of(mark.lines, [](const MarkLine& line) { return line.number == 0; })) {
    ended += end_all_attempts(mark, grace);
    forget(path);
  }
  return ended;
}

/// … and of our own attempts: their own threads clear up behind them.
int end_fenced(const MarkText& mark, TaskId task, AttemptNumber current, Duration grace) {
  int ended = 0;
  for (const MarkLine& line : mark.lines) {
    if (is_earlier(line, task, current)) ended += end_attempt(mark, line, grace);
  }
  return ended;
}

}  // namespace

int end_earlier_attempts(const fs::path& run_directory, TaskId task, AttemptNumber current,
                         Duration grace) {
  int ended = 0;
  for (const fs::path& path : marks_in(run_directory)) {
    const MarkText mark = read_mark(path);
    const bool has_some = std::ranges::any_of(
        mark.lines, [&](const MarkLine& line) { return is_earlier(line, task, current); });
    if (!has_some) continue;
    const bool is_ours = mark.owner == ::getpid() && mark.boot == boot_id();
    ended +=
        is_ours ? end_fenced(mark, task, current, grace) : clear_task(path, task, current, grace);
  }
  return ended;
}

int end_orphans(const fs::path& run_directory, Duration grace) {
  int ended = 0;
  for (const fs::path& path : marks_in(run_directory)) {
    const auto held = take_over(path);
    if (!held) continue;
    ended += end_all_attempts(read_mark(path), grace);
    forget(path);
  }
  return ended;
}

}  // namespace pawl
