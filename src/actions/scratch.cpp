#include "actions/scratch.hpp"

#include <cerrno>
#include <cstdio>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace pawl {

namespace fs = std::filesystem;

namespace {

constexpr int twins_max = 1'000;

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/// The same directory with the same entries. Its name may be another.
bool has_same_entries(const Scratch::Look& a, const Scratch::Look& b) {
  return a.number == b.number && a.mode == b.mode && is_same(a.changed, b.changed);
}
/// … and nothing else of it was touched either.
bool is_untouched(const Scratch::Look& a, const Scratch::Look& b) {
  return has_same_entries(a, b) && is_same(a.touched, b.touched);
}

std::optional<Scratch::Look> look_at(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  return Scratch::Look{.changed = status.st_mtim,
                       .touched = status.st_ctim,
                       .mode = status.st_mode,
                       .number = status.st_ino};
}

Error cannot_make(const std::string& path, int error) {
  return {error == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
          "cannot make " + path + ": " + std::generic_category().message(error)};
}

std::string numbered(const std::string& name, int twin) {
  return twin == 1 ? name : name + "_" + std::to_string(twin);
}

/// A moment in the last century, to the nanosecond: nobody sets it by chance.
timespec no_clock() {
  std::random_device random;
  return {.tv_sec = 1'000'000 + static_cast<time_t>(random() % 900'000'000),
          .tv_nsec = static_cast<long>(random() % 1'000'000'000)};
}

}  // namespace

ScratchFolder::ScratchFolder(std::string folder)
    : folder_(std::move(folder)), no_clock_(no_clock()) {}

Result<Scratch> ScratchFolder::take(const std::string& name) {
  std::optional<Scratch> unused;
  {
    const std::lock_guard lock(mutex_);
    if (!unused_.empty()) {
      unused = std::move(unused_.back());
      unused_.pop_back();
    }
  }
  if (unused) {
    if (Result<Scratch> given = renamed(std::move(*unused), name)) return given;
  }
  return make(name);
}

Result<Scratch> ScratchFolder::make(const std::string& name) const {
  Scratch made;
  for (int twin = 1;; ++twin) {
    made.path = folder_ + "/" + numbered(name, twin);
    if (::mkdir(made.path.c_str(), 0700) == 0) break;
    if (errno != EEXIST || twin > twins_max) return std::unexpected(cannot_make(made.path, errno));
  }
  const std::string dir = made.dir();
  // Whatever our mask of rights says.
  if (::chmod(made.path.c_str(), 0700) != 0 || ::mkdir(dir.c_str(), 0700) != 0 ||
      ::chmod(dir.c_str(), 0700) != 0) {
    return std::unexpected(cannot_make(dir, errno));
  }
  for (const auto& [path, look] :
       {std::pair{&dir, &made.inner}, std::pair{&std::as_const(made.path), &made.outer}}) {
    const timespec times[] = {no_clock_, no_clock_};
    (void)::utimensat(AT_FDCWD, path->c_str(), times, 0);
    if (const auto seen = look_at(*path)) *look = *seen;
  }
  return made;
}

Result<Scratch> ScratchFolder::renamed(Scratch unused, const std::string& name) const {
  const std::string old = unused.path;
  for (int twin = 1;; ++twin) {
    unused.path = folder_ + "/" + numbered(name, twin);
    if (::renameat2(AT_FDCWD, old.c_str(), AT_FDCWD, unused.path.c_str(), RENAME_NOREPLACE) == 0) {
      break;
    }
    if (errno == EEXIST && twin <= twins_max) continue;
    const int error = errno;  // a file system that cannot: then each is made anew
    remove_tree(old);
    return std::unexpected(cannot_make(unused.path, error));
  }
  // Looked at under the new name: who knew the old one cannot write there any more.
  const auto outer = look_at(unused.path);
  const auto inner = look_at(unused.dir());
  if (!outer || !inner || !has_same_entries(*outer, unused.outer) ||
      !is_untouched(*inner, unused.inner)) {
    remove_tree(unused.path);
    return fail(ErrorCode::conflict, unused.path + " was written to");
  }
  unused.outer = *outer;
  return unused;
}

void ScratchFolder::give_back(Scratch used) {
  const auto outer = look_at(used.path);
  const auto inner = look_at(used.dir());
  // The time itself is asked for too: a disk that does not keep it gives nothing away twice.
  const bool is_clean =
      outer && inner && is_untouched(*outer, used.outer) && is_untouched(*inner, used.inner) &&
      outer->changed.tv_sec == no_clock_.tv_sec && inner->changed.tv_sec == no_clock_.tv_sec;
  if (!is_clean) {
    remove_tree(used.path);
    return;
  }
  const std::lock_guard lock(mutex_);
  unused_.push_back(std::move(used));
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
