#include "actions/marks.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/end_processes.hpp"
#include "actions/process_table.hpp"
#include "pawl/actions/actions.hpp"
#include "pawl/codec/json.hpp"

namespace pawl {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view mark_suffix = ".mark";

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  require(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
          "the machine gives random bytes");
  constexpr std::string_view digits = "0123456789abcdef";
  std::string token;
  for (const unsigned char byte : bytes) {
    token += digits[byte >> 4U];
    token += digits[byte & 15U];
  }
  return token;
}

Error system_error(const std::string& what, const fs::path& path) {
  return {ErrorCode::unavailable,
          what + " " + path.string() + ": " + std::generic_category().message(errno)};
}

void append_line(int file, const Json& line) {
  const std::string text = line.text() + "\n";
  (void)!::write(file, text.data(), text.size());
}

/// What a mark says.
struct MarkText {
  std::string token;
  pid_t owner = 0;
  std::string boot;
  pid_t group = 0;
  std::uint64_t leader_started = 0;
};

MarkText read_mark(const fs::path& path) {
  MarkText mark;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const Result<Json> json = parse_json(line);
    if (!json) continue;  // a crash in the middle of writing it
    const auto text = [&](std::string_view key) {
      const auto value = member(*json, key);
      return value ? string_of(*value) : std::nullopt;
    };
    const auto number = [&](std::string_view key) {
      const auto value = member(*json, key);
      return value ? integer_of(*value) : std::nullopt;
    };
    if (const auto token = text("token")) mark.token = *token;
    if (const auto boot = text("boot")) mark.boot = *boot;
    if (const auto owner = number("owner")) mark.owner = static_cast<pid_t>(*owner);
    if (const auto group = number("group")) mark.group = static_cast<pid_t>(*group);
    if (const auto started = number("leader_started")) {
      mark.leader_started = static_cast<std::uint64_t>(*started);
    }
  }
  return mark;
}

int end_marked(const MarkText& mark, Duration grace) {
  if (mark.token.empty() || mark.boot != boot_id()) return 0;
  return end_processes({.variable = "PAWL_RUN=" + mark.token,
                        .group = mark.group,
                        .leader_started = mark.leader_started},
                       grace);
}

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

fs::path scratch_of(fs::path mark) { return mark.replace_extension(); }

/// Ends what the dead owner of this mark has left, and forgets it.
int clear_dead(const fs::path& path, Duration grace) {
  const auto held = take_over(path);
  if (!held) return 0;
  const int ended = end_marked(read_mark(path), grace);
  remove_tree(scratch_of(path));
  ::unlink(path.c_str());
  return ended;
}

std::vector<fs::path> marks_in(const fs::path& run_directory) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(run_directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == mark_suffix) found.push_back(entry->path());
  }
  return found;
}

/// "<task>-<attempt>…"
struct MarkName {
  std::int64_t task = 0;
  AttemptNumber attempt = 0;
};
std::optional<MarkName> parse_name(const std::string& name) {
  MarkName parsed;
  const char* const end = name.data() + name.size();
  const auto task = std::from_chars(name.data(), end, parsed.task);
  if (task.ec != std::errc{} || task.ptr == end || *task.ptr != '-') return std::nullopt;
  if (std::from_chars(task.ptr + 1, end, parsed.attempt).ec != std::errc{}) return std::nullopt;
  return parsed;
}

}  // namespace

Result<Mark> Mark::make(const fs::path& run_directory, const std::string& name) {
  std::error_code error;
  fs::create_directories(run_directory, error);
  if (error) {
    return fail(ErrorCode::unavailable,
                "cannot make " + run_directory.string() + ": " + error.message());
  }
  Mark mark;
  mark.token_ = random_token();
  // Under its own name the mark appears complete and locked.
  const fs::path unfinished = run_directory / (".mark-" + mark.token_);
  mark.lock_ = Descriptor(
      ::open(unfinished.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!mark.lock_.is_open()) return std::unexpected(system_error("cannot make", unfinished));
  (void)::flock(mark.lock_.get(), LOCK_EX | LOCK_NB);
  const auto self = process_entry(::getpid());
  append_line(mark.lock_.get(), Json::object({{"token", mark.token_},
                                              {"owner", static_cast<std::int64_t>(::getpid())},
                                              {"owner_started", self ? self->started : 0},
                                              {"boot", boot_id()}}));
  for (int twin = 1;; ++twin) {
    const std::string unique = twin == 1 ? name : name + "_" + std::to_string(twin);
    mark.file_ = run_directory / (unique + std::string(mark_suffix));
    mark.scratch_ = run_directory / unique;
    if (::link(unfinished.c_str(), mark.file_.c_str()) == 0) break;
    if (errno != EEXIST || twin > 1'000) {
      const Error why = system_error("cannot make", mark.file_);
      ::unlink(unfinished.c_str());
      mark.file_.clear();
      mark.scratch_.clear();
      return std::unexpected(why);
    }
  }
  ::unlink(unfinished.c_str());
  remove_tree(mark.scratch_);
  if (!fs::create_directory(mark.scratch_, error)) {
    return fail(ErrorCode::unavailable,
                "cannot make " + mark.scratch_.string() + ": " + error.message());
  }
  fs::permissions(mark.scratch_, fs::perms::owner_all, error);
  return mark;
}

Mark::~Mark() {
  if (!lock_.is_open() || file_.empty()) return;
  remove_tree(scratch_);
  ::unlink(file_.c_str());
}

void Mark::add_leader(pid_t leader) {
  const auto entry = process_entry(leader);
  append_line(lock_.get(), Json::object({{"group", static_cast<std::int64_t>(leader)},
                                         {"leader_started", entry ? entry->started : 0}}));
}

void Mark::end_processes(Duration grace) const {
  (void)pawl::end_processes({.variable = "PAWL_RUN=" + token_}, grace);
}

int end_earlier_attempts(const fs::path& run_directory, TaskId task, AttemptNumber current,
                         Duration grace) {
  int ended = 0;
  for (const fs::path& path : marks_in(run_directory)) {
    const auto name = parse_name(path.filename().string());
    if (!name || name->task != task.value() || name->attempt >= current) continue;
    const MarkText mark = read_mark(path);
    if (mark.owner == ::getpid() && mark.boot == boot_id()) {
      ended += end_marked(mark, grace);  // its own thread clears up behind it
    } else {
      ended += clear_dead(path, grace);
    }
  }
  return ended;
}

int end_orphans(const fs::path& run_directory, Duration grace) {
  int ended = 0;
  for (const fs::path& path : marks_in(run_directory)) ended += clear_dead(path, grace);
  return ended;
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  // Directories without the right to write or to look inside keep what is in them.
  const auto skip = fs::directory_options::skip_permission_denied;
  fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, error);
  for (int depth = 0; depth < 64; ++depth) {
    bool changed = false;
    std::error_code walking;
    for (fs::recursive_directory_iterator entry(path, skip, walking), end; !walking && entry != end;
         entry.increment(walking)) {
      std::error_code ignored;
      if (entry->is_symlink(ignored) || !entry->is_directory(ignored)) continue;
      const fs::perms now = entry->symlink_status(ignored).permissions();
      if ((now & fs::perms::owner_all) == fs::perms::owner_all) continue;
      fs::permissions(entry->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
      changed = !ignored;
    }
    if (!changed) break;
  }
  fs::remove_all(path, error);
}

}  // namespace pawl
