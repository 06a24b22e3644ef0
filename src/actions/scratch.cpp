#include "actions/scratch.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace pawl::actions {

namespace fs = std::filesystem;

namespace {

constexpr int twins_max = 1'000;

std::unexpected<Error> cannot_make(const std::string& path, int error) {
  return fail(error == ENOENT ? ErrorCode::not_found : ErrorCode::unavailable,
              "cannot create " + path + ": " + std::generic_category().message(error));
}

/// Accessible to its owner only, whatever the umask.
int make_private(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 || ::chmod(path.c_str(), 0700) != 0) return errno;
  return 0;
}

}  // namespace

Result<ScratchDirectory> ScratchDirectory::make(const std::string& folder,
                                                const std::string& name) {
  for (int twin = 1;; ++twin) {
    const std::string path = folder + "/" + name + (twin == 1 ? "" : "_" + std::to_string(twin));
    const int error = make_private(path);
    if (error == EEXIST && twin <= twins_max) continue;
    if (error != 0) return cannot_make(path, error);
    ScratchDirectory made(path);
    if (const int inner = make_private(made.dir()); inner != 0) {
      return cannot_make(made.dir(), inner);
    }
    return made;
  }
}

ScratchDirectory::ScratchDirectory(ScratchDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

ScratchDirectory& ScratchDirectory::operator=(ScratchDirectory&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

void ScratchDirectory::remove() {
  if (!path_.empty()) remove_tree(std::exchange(path_, {}));
}

void remove_tree(const fs::path& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) return;
  // Files cannot be removed from a directory without write and search permission.
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

}  // namespace pawl::actions
