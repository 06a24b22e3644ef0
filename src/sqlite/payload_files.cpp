#include "sqlite/payload_files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "files/descriptor.hpp"
#include "files/private_files.hpp"
#include "files/regular_file.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/store/sqlite.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/paths.hpp"

namespace pawl::sqlite {

namespace {

constexpr int makes_max = 100;
constexpr std::string_view temporary_prefix = ".tmp-";

/// Unique by the process number and, between threads, by a counter.
std::string temporary_name() {
  static std::atomic<std::uint64_t> count = 0;
  return std::string(temporary_prefix) + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

/// A file that is being written; it is removed unless it gets its final name. A payload never
/// changes, so the file is read-only. It is locked while its process lives: a temporary file that
/// can be locked was left by a dead process.
class HalfWritten {
 public:
  explicit HalfWritten(const std::filesystem::path& folder)
      : path_(folder / temporary_name()), file_(made(path_)) {}
  HalfWritten(const HalfWritten&) = delete;
  HalfWritten& operator=(const HalfWritten&) = delete;
  ~HalfWritten() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw system_fault("write", path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void name(const std::filesystem::path& path) {
    if (::fsync(file_.get()) != 0) throw system_fault("sync", path_, errno);
    if (::rename(path_.c_str(), path.c_str()) != 0) throw system_fault("rename to", path, errno);
    path_.clear();
  }

 private:
  static files::Descriptor made(const std::filesystem::path& path) {
    for (int tries = 0; tries < makes_max; ++tries) {
      ::unlink(path.c_str());  // left by a dead process with our number
      files::Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
      if (!file.is_open()) throw system_fault("make", path, errno);
      files::give_to_owner_of(path.parent_path(), file.get());
      (void)::fchmod(file.get(), 0400);  // whatever the umask
      struct stat found{};
      const bool is_ours = ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 &&
                           ::fstat(file.get(), &found) == 0 && found.st_nlink > 0;
      // Otherwise a cleanup in another process was faster than our lock.
      if (is_ours) return file;
    }
    throw system_fault("lock", path, EBUSY);
  }

  std::filesystem::path path_;
  files::Descriptor file_;
};

bool has_size(const std::filesystem::path& path, std::size_t size) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<std::size_t>(found.st_size) == size;
}

/// Whether the content of the file matches its name. A file that does not match is written again.
bool is_whole(const std::filesystem::path& path, std::size_t size, const std::string& sha256) {
  if (!has_size(path, size)) return false;
  Sha256 digest;
  const Status read = files::read_regular_file(path, [&](std::string_view piece) -> Status {
    digest.update(piece);
    return {};
  });
  return read && digest.finish_hex() == sha256;
}

/// Calls `found` for each temporary file in the folder that no living process is writing, while its
/// lock is held.
template <class Found>
void each_left_file(const std::filesystem::path& folder, Found found) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (!entry.path().filename().string().starts_with(temporary_prefix)) continue;
    const files::Descriptor file(
        ::open(entry.path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status{};
    if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) continue;
    found(entry.path(), std::int64_t{status.st_size});
  }
}

}  // namespace

PayloadFiles::PayloadFiles(const std::filesystem::path& database)
    : folder_(beside(database, ".blobs")) {}

std::filesystem::path PayloadFiles::path_of(std::string_view sha256) const {
  return folder_ / sha256.substr(0, 2) / sha256.substr(2);
}

std::string PayloadFiles::keep(std::string_view bytes) const {
  std::string sha256 = sha256_hex(bytes);
  const std::filesystem::path path = path_of(sha256);
  directories_.make(folder_);
  directories_.make(path.parent_path());
  // An existing file was renamed into place, so its bytes are on disk. Its directory entry may not
  // be, if its writer was killed just then.
  if (!is_whole(path, bytes.size(), sha256)) {
    HalfWritten fresh(folder_);
    fresh.write(bytes);
    fresh.name(path);
  }
  sync_directory(path.parent_path());
  return sha256;
}

/// The name is known only after the last byte has been copied.
Result<KeptFile> PayloadFiles::keep_stream(const ByteSource& source) const {
  directories_.make(folder_);
  HalfWritten copy(folder_);
  Sha256 digest;
  KeptFile kept;
  const Status copied = source([&](std::string_view piece) -> Status {
    copy.write(piece);
    digest.update(piece);
    kept.size += static_cast<std::int64_t>(piece.size());
    return {};
  });
  if (!copied) return std::unexpected(copied.error());
  kept.sha256 = digest.finish_hex();
  const std::filesystem::path path = path_of(kept.sha256);
  directories_.make(path.parent_path());
  if (!is_whole(path, static_cast<std::size_t>(kept.size), kept.sha256)) copy.name(path);
  sync_directory(path.parent_path());
  return kept;
}

std::filesystem::path PayloadFiles::find(std::string_view sha256) const {
  if (!is_sha256_hex(sha256)) {
    throw Fault(ErrorCode::invalid, "'" + std::string(sha256) + "' is not a SHA-256 in hex");
  }
  std::filesystem::path path = path_of(sha256);
  if (::access(path.c_str(), F_OK) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) throw system_fault("find", path, errno);
    throw Fault(ErrorCode::not_found,
                "no payload " + std::string(sha256) + " in '" + folder_.string() + "'");
  }
  return path;
}

std::string PayloadFiles::read(std::string_view sha256) const {
  const std::filesystem::path path = find(sha256);
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw system_fault("open", path, errno);
  struct stat found{};
  if (::fstat(file.get(), &found) != 0) throw system_fault("read", path, errno);
  std::string bytes(static_cast<std::size_t>(found.st_size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_fault("read", path, errno);
    if (got == 0) bytes.resize(done);
    done += static_cast<std::size_t>(got);
  }
  if (sha256_hex(bytes) != sha256) {
    throw Fault(ErrorCode::corrupt, "the payload file '" + path.string() + "' has changed",
                "restore it from a backup");
  }
  return bytes;
}

std::string PayloadFiles::range_of(std::string_view sha256, std::int64_t from,
                                   std::size_t bytes_max) const {
  const std::filesystem::path path = find(sha256);
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw system_fault("open", path, errno);
  std::string bytes(bytes_max, '\0');
  for (;;) {
    const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), from);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_fault("read", path, errno);
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

}  // namespace pawl::sqlite

namespace pawl {

LeftFiles half_written_payloads(const std::filesystem::path& database) {
  LeftFiles left;
  sqlite::each_left_file(sqlite::beside(database, ".blobs"),
                         [&](const std::filesystem::path&, std::int64_t bytes) {
                           ++left.count;
                           left.bytes += bytes;
                         });
  return left;
}

LeftFiles remove_half_written_payloads(const std::filesystem::path& database) {
  LeftFiles left;
  sqlite::each_left_file(sqlite::beside(database, ".blobs"),
                         [&](const std::filesystem::path& path, std::int64_t bytes) {
                           if (::unlink(path.c_str()) != 0) return;
                           ++left.count;
                           left.bytes += bytes;
                         });
  return left;
}

}  // namespace pawl
