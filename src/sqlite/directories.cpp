#include "sqlite/directories.hpp"

#include <cerrno>

#include <fcntl.h>

#include "files/descriptor.hpp"
#include "files/private_files.hpp"
#include "sqlite/faults.hpp"

namespace pawl::sqlite {

namespace {

std::filesystem::path above(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

}  // namespace

void sync_directory(const std::filesystem::path& path) {
  const files::Descriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory.is_open() || ::fsync(directory.get()) != 0) {
    throw system_fault("sync the directory", path, errno);
  }
}

void sync_name_of_directory(const std::filesystem::path& database) {
  const std::filesystem::path folder = std::filesystem::absolute(above(database));
  const files::Descriptor directory(
      ::open(above(folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // If we may not look into the directory, we have not created one in it.
  if (!directory.is_open() && errno == EACCES) return;
  if (!directory.is_open() || ::fsync(directory.get()) != 0) {
    throw system_fault("sync the directory", above(folder), errno);
  }
}

void Directories::make(const std::filesystem::path& path) {
  const std::scoped_lock guard(mutex_);
  // Check every time: the directory may have been removed.
  const auto is_new = files::make_private_directory(path);
  if (!is_new) throw system_fault("create the directory", path, is_new.error().value());
  if (!*is_new && safe_.contains(path)) return;
  sync_directory(above(path));
  safe_.insert(path);
}

}  // namespace pawl::sqlite
