#include "sqlite/lock_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>

#include "files/descriptor.hpp"
#include "files/private_files.hpp"
#include "sqlite/faults.hpp"

namespace pawl::sqlite {

namespace {

/// flock(2) belongs to the open file, not to the process: two stores in one process are two
/// holders, and closing another descriptor of the file does not release the lock.
int lock_with(int descriptor, int operation) {
  for (;;) {
    if (::flock(descriptor, operation) == 0) return 0;
    if (errno != EINTR) return errno;
  }
}

}  // namespace

LockFile::LockFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(files::open_private_file(path_)) {
  if (!descriptor_.is_open()) throw system_fault("open the lock file", path_, errno);
}

files::LockWait LockFile::lock(const files::LockPatience& patience) {
  const Result<files::LockWait> waited = files::take_lock(path_, descriptor_, patience);
  if (!waited) throw Fault(waited.error());
  return *waited;
}

bool LockFile::try_lock() {
  const int error = lock_with(descriptor_.get(), LOCK_EX | LOCK_NB);
  if (error == 0) return true;
  if (error == EWOULDBLOCK) return false;
  throw system_fault("lock", path_, error);
}

void LockFile::unlock() noexcept { lock_with(descriptor_.get(), LOCK_UN); }

Holder holder_of(const std::filesystem::path& path) {
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.is_open()) return Holder::unknown;
  // A shared lock is enough for the check, and two processes that check at once do not disturb each
  // other.
  const int error = lock_with(file.get(), LOCK_SH | LOCK_NB);
  if (error == 0) return Holder::dead;
  return error == EWOULDBLOCK ? Holder::alive : Holder::unknown;
}

}  // namespace pawl::sqlite
