#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/end_processes.hpp"
#include "actions/mark_file.hpp"
#include "actions/marks.hpp"
#include "actions/process_table.hpp"
#include "files/descriptor.hpp"
#include "files/trusted_path.hpp"
#include "pawl/actions/actions.hpp"

namespace pawl {

using namespace actions;

namespace fs = std::filesystem;

namespace {

/// Whether the mark has not been removed since it was opened.
bool is_still_there(const fs::path& path, int file) {
  struct stat open_file{};
  struct stat named_file{};
  return ::fstat(file, &open_file) == 0 && ::lstat(path.c_str(), &named_file) == 0 &&
         open_file.st_ino == named_file.st_ino;
}

/// Whether the owner of the mark is dead. If so, we hold its lock until the file is closed, which
/// keeps others from doing the same cleanup.
bool take_over(const fs::path& path, int file) {
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) return false;
  return is_still_there(path, file);
}

/// Like `take_over`, but waits while another attempt, of this or another process, cleans up after
/// the same dead worker: its leftovers must be ended before the next attempt runs.
bool take_over_in_turn(const fs::path& path, int file, pid_t owner, Duration patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    const bool owner_lives = ::kill(owner, 0) == 0 || errno == EPERM;
    if (owner_lives || std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return is_still_there(path, file);
}

fs::path folder_of(fs::path mark) { return mark.replace_extension(); }

struct OpenMark {
  fs::path path;
  files::Descriptor file;
};
struct Found {
  std::vector<OpenMark> marks;
  std::vector<std::string> left_alone;  ///< one sentence each
};

/// The marks in a run directory that only this user can have created.
Result<Found> marks_in(const fs::path& run_directory, bool trust_owner) {
  if (!trust_owner) {
    if (const Status safe = files::check_trusted(run_directory); !safe) {
      return std::unexpected(safe.error());
    }
  }
  Found found;
  std::error_code error;
  for (fs::directory_iterator entry(run_directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (!path.string().ends_with(mark_suffix)) continue;
    if (!is_mark_name(path.filename().string())) {
      found.left_alone.push_back("'" + path.string() +
                                 "' was ignored: it is not the name of a mark");
      continue;
    }
    Result<files::Descriptor> file = open_mark(path, trust_owner);
    if (file) {
      found.marks.push_back({path, std::move(*file)});
    } else if (file.error().code == ErrorCode::refused) {
      found.left_alone.push_back("a mark was ignored: " + file.error().text());
    }
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

/// Ends the processes of every attempt, even of those whose line was lost.
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

/// Ends what the dead owner of this mark has left of one task, and removes its lines.
int clear_task(const OpenMark& held, pid_t owner, TaskId task, AttemptNumber current,
               Duration grace) {
  // Each attempt that is cleaned up may take its grace period.
  constexpr int attempts_waited_for = 16;
  const Duration patience = grace * attempts_waited_for;
  if (!take_over_in_turn(held.path, held.file.get(), owner, patience)) return 0;
  MarkText mark = read_mark(held.file.get());
  int ended = 0;
  for (std::size_t place = 0; place < mark.lines.size(); ++place) {
    MarkLine& line = mark.lines[place];
    if (!is_earlier(line, task, current)) continue;
    ended += end_attempt(mark, line, grace);
    remove_tree(folder_of(held.path) / line.name);
    (void)write_mark_line(held.file.get(), 1 + place, unused_line_text());
    line.number = 0;
  }
  if (std::ranges::all_of(mark.lines, [](const MarkLine& line) { return line.number == 0; })) {
    ended += end_all_attempts(mark, grace);
    forget(held.path);
  }
  return ended;
}

/// Ends our own fenced attempts; their own threads clean up after them.
int end_fenced(const MarkText& mark, TaskId task, AttemptNumber current, Duration grace) {
  int ended = 0;
  for (const MarkLine& line : mark.lines) {
    if (is_earlier(line, task, current)) ended += end_attempt(mark, line, grace);
  }
  return ended;
}

}  // namespace

Result<int> actions::end_earlier_attempts(const fs::path& run_directory, TaskId task,
                                          AttemptNumber current, Duration grace, bool trust_owner) {
  const Result<Found> found = marks_in(run_directory, trust_owner);
  if (!found) return std::unexpected(found.error());
  int ended = 0;
  for (const OpenMark& held : found->marks) {
    const MarkText mark = read_mark(held.file.get());
    const bool has_some = std::ranges::any_of(
        mark.lines, [&](const MarkLine& line) { return is_earlier(line, task, current); });
    if (!has_some) continue;
    const bool is_ours = mark.owner == ::getpid() && mark.boot == boot_id();
    ended += is_ours ? end_fenced(mark, task, current, grace)
                     : clear_task(held, mark.owner, task, current, grace);
  }
  return ended;
}

Result<Orphans> end_orphans(const fs::path& run_directory, Duration grace, bool trust_owner) {
  Result<Found> found = marks_in(run_directory, trust_owner);
  if (!found) return std::unexpected(found.error());
  Orphans orphans{.ended = 0, .left_alone = std::move(found->left_alone)};
  for (const OpenMark& held : found->marks) {
    if (!take_over(held.path, held.file.get())) continue;
    orphans.ended += end_all_attempts(read_mark(held.file.get()), grace);
    forget(held.path);
  }
  return orphans;
}

}  // namespace pawl
