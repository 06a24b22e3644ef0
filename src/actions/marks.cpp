#include "actions/marks.hpp"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/end_processes.hpp"
#include "actions/process_table.hpp"
#include "files/private_files.hpp"
#include "files/trusted_path.hpp"

namespace pawl::actions {

namespace fs = std::filesystem;

namespace {

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  require(::getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
          "getrandom returns all bytes");
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

}  // namespace

WorkerMark::WorkerMark(fs::path path, std::string token, files::Descriptor file)
    : path_(std::move(path)),
      token_(std::move(token)),
      owner_(::getpid()),
      file_(std::move(file)) {}

Result<std::shared_ptr<WorkerMark>> WorkerMark::make(const fs::path& run_directory,
                                                     bool trust_owner) {
  if (const Status made = files::make_private_directories(run_directory); !made) {
    return fail(ErrorCode::unavailable, made.error().message, made.error().help);
  }
  if (!trust_owner) {
    if (const Status safe = files::check_trusted(run_directory); !safe) {
      return std::unexpected(safe.error());
    }
    files::deny_writing_to_others(run_directory);
  }
  const std::string token = random_token();
  const std::string name = std::to_string(::getpid()) + "-" + token.substr(0, 8);
  // The rename makes the mark visible when it is complete and locked.
  const fs::path unfinished = run_directory / (".mark-" + token);
  const fs::path path = run_directory / (name + std::string(mark_suffix));
  files::Descriptor file = files::make_private_file(unfinished);
  if (!file.is_open()) return std::unexpected(system_error("cannot create", unfinished));
  (void)::flock(file.get(), LOCK_EX | LOCK_NB);
  if (!write_mark_line(file.get(), 0, mark_owner_text(token)) ||
      ::rename(unfinished.c_str(), path.c_str()) != 0) {
    const Error why = system_error("cannot create", path);
    ::unlink(unfinished.c_str());
    return std::unexpected(why);
  }
  std::shared_ptr<WorkerMark> made(new WorkerMark(path, token, std::move(file)));
  const fs::path folder = run_directory / name;
  if (::mkdir(folder.c_str(), 0700) != 0 || ::chmod(folder.c_str(), 0700) != 0) {
    return std::unexpected(system_error("cannot create", folder));
  }
  return made;
}

std::string WorkerMark::folder() const { return fs::path(path_).replace_extension().string(); }

WorkerMark::~WorkerMark() {
  if (owner_ != ::getpid()) return;  // a copy of this process, made by fork
  remove_tree(folder());
  ::unlink(path_.c_str());
}

WorkerMark::Line WorkerMark::take_line() {
  const std::lock_guard lock(mutex_);
  Line taken{.place = lines_, .number = ++last_number_};
  if (unused_.empty()) {
    ++lines_;
  } else {
    taken.place = unused_.back();
    unused_.pop_back();
  }
  return taken;
}

Status WorkerMark::write(std::size_t place, const MarkLine& line) {
  if (write_mark_line(file_.get(), place, mark_line_text(line))) return {};
  return std::unexpected(system_error("cannot write to", path_));
}

void WorkerMark::give_back(std::size_t place) {
  (void)write_mark_line(file_.get(), place, unused_line_text());
  const std::lock_guard lock(mutex_);
  unused_.push_back(place);
}

Mark::Mark(std::shared_ptr<WorkerMark> worker, WorkerMark::Line line, ScratchDirectory scratch)
    : worker_(std::move(worker)), place_(line.place), scratch_(std::move(scratch)) {
  line_.number = line.number;
  line_.name = fs::path(scratch_.path()).filename().string();
  line_.group.started_from = ticks_now();
}

Status Mark::write() const { return worker_->write(place_, line_); }

Mark::~Mark() {
  if (!worker_) return;
  scratch_.remove();
  worker_->give_back(place_);
}

std::string Mark::token() const { return attempt_token(worker_->token(), line_.number); }

void Mark::add_leader(pid_t leader) {
  // The leader started between now and the creation of the mark. Another process with its number
  // has ended before that time or starts after it.
  line_.group.leader = leader;
  line_.group.started_until = ticks_now();
  // On a full disk, the token alone must do.
  (void)write();
}

void Mark::end_processes(Duration grace) const {
  (void)actions::end_processes({.variable = "PAWL_RUN=" + token(), .groups = {}}, grace);
}

Result<std::shared_ptr<WorkerMark>> RunDirectory::worker(const WorkerMark* lost) {
  const std::lock_guard lock(mutex_);
  if (!worker_ || worker_.get() == lost) {
    Result<std::shared_ptr<WorkerMark>> made = WorkerMark::make(path_, trust_owner_);
    if (!made) return made;
    worker_ = std::move(*made);
  }
  return worker_;
}

Result<Mark> RunDirectory::mark(const std::string& name) {
  Result<std::shared_ptr<WorkerMark>> owner = worker(nullptr);
  if (!owner) return std::unexpected(owner.error());
  Result<ScratchDirectory> scratch = ScratchDirectory::make((**owner).folder(), name);
  if (!scratch && scratch.error().code == ErrorCode::not_found) {
    // The run directory was removed while we were using it.
    owner = worker(owner->get());
    if (!owner) return std::unexpected(owner.error());
    scratch = ScratchDirectory::make((**owner).folder(), name);
  }
  if (!scratch) return fail(ErrorCode::unavailable, scratch.error().message);
  Mark mark(*owner, (**owner).take_line(), std::move(*scratch));
  if (const Status written = mark.write(); !written) return std::unexpected(written.error());
  return mark;
}

}  // namespace pawl::actions
