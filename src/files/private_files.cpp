#include "files/private_files.hpp"

#include <cerrno>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pawl::files {

namespace fs = std::filesystem;

namespace {

constexpr mode_t directory_mode = 0700;
constexpr mode_t file_mode = 0600;

fs::path above(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : "."; }

}  // namespace

void give_to_owner_of(const fs::path& directory, int file) {
  struct stat found{};
  if (::geteuid() != 0 || ::stat(directory.c_str(), &found) != 0 || found.st_uid == 0) return;
  (void)!::fchown(file, found.st_uid, found.st_gid);
}

std::expected<bool, std::error_code> make_private_directory(const fs::path& path) {
  const auto failed = [](int error) {
    return std::unexpected(std::error_code(error, std::generic_category()));
  };
  if (::mkdir(path.c_str(), directory_mode) != 0) {
    const int error = errno;
    std::error_code ignored;
    if (error == EEXIST && fs::is_directory(path, ignored)) return false;
    return failed(error == EEXIST ? ENOTDIR : error);
  }
  // A umask may have taken rights from us as well; then it cannot be opened before they are back.
  const Descriptor place(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!place.is_open()) return failed(errno);
  const std::string itself = "/proc/self/fd/" + std::to_string(place.get());
  if (::chmod(itself.c_str(), directory_mode) != 0) return failed(errno);
  const Descriptor made(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (made.is_open()) give_to_owner_of(above(path), made.get());
  return true;
}

Status make_private_directories(const fs::path& path) {
  std::error_code ignored;
  if (path.empty() || fs::is_directory(path, ignored)) return {};
  if (const Status parents = make_private_directories(path.parent_path()); !parents) return parents;
  const auto made = make_private_directory(path);
  if (made) return {};
  const bool is_full = made.error() == std::errc::no_space_on_device;
  return fail(is_full ? ErrorCode::unavailable : ErrorCode::refused,
              "cannot make the directory '" + path.string() + "': " + made.error().message());
}

Descriptor make_private_file(const fs::path& path) {
  Descriptor made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, file_mode));
  if (!made.is_open()) return made;
  (void)::fchmod(made.get(), file_mode);
  give_to_owner_of(above(path), made.get());
  return made;
}

Descriptor open_private_file(const fs::path& path) {
  Descriptor made = make_private_file(path);
  if (made.is_open() || errno != EEXIST) return made;
  return Descriptor(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
}

/// By its name: opening and closing a database here would end the locks that SQLite holds on it.
void deny_writing_to_others(const fs::path& path) {
  // What was looked at is what is changed. A file with another name elsewhere is not ours alone.
  const Descriptor place(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat found{};
  if (!place.is_open() || ::fstat(place.get(), &found) != 0) return;
  const bool is_ours_alone =
      S_ISDIR(found.st_mode) || (S_ISREG(found.st_mode) && found.st_nlink == 1);
  if (!is_ours_alone || found.st_uid != ::geteuid() || (found.st_mode & 022U) == 0) return;
  const std::string itself = "/proc/self/fd/" + std::to_string(place.get());
  (void)::chmod(itself.c_str(), found.st_mode & 0755U);
}

}  // namespace pawl::files
