#include "sqlite/payload_files.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>

#include <fcntl.h>
#include <sys/stat.h>

#include "pawl/codec/digest.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/file.hpp"
#include "sqlite/paths.hpp"
#include "store/private_files.hpp"
#include "store/regular_file.hpp"

namespace pawl::sqlite {

namespace {

/// Names differ between processes by their number, between threads by a count.
std::string temporary_suffix() {
  static std::atomic<std::uint64_t> count = 0;
  return ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
}

/// A file that is being written, removed again unless it gets its name. Nobody writes to a payload
/// once it has one, so it is made read-only.
class HalfWritten {
 public:
  explicit HalfWritten(const std::filesystem::path& folder)
      : path_(folder / temporary_suffix()), file_(made(path_)) {}
  HalfWritten(const HalfWritten&) = delete;
  HalfWritten& operator=(const HalfWritten&) = delete;
  ~HalfWritten() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_.raw(), bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw system_fault("write", path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void name(const std::filesystem::path& path) {
    if (::fsync(file_.raw()) != 0) throw system_fault("sync", path_, errno);
    if (::rename(path_.c_str(), path.c_str()) != 0) throw system_fault("rename to", path, errno);
    path_.clear();
  }

 private:
  static Descriptor made(const std::filesystem::path& path) {
    ::unlink(path.c_str());  // of a dead process with our number
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400));
    if (!file.is_open()) throw system_fault("make", path, errno);
    give_to_owner_of(path.parent_path(), file.raw());
    (void)::fchmod(file.raw(), 0400);  // whatever the umask has taken away
    return file;
  }

  std::filesystem::path path_;
  Descriptor file_;
};

bool has_size(const std::filesystem::path& path, std::size_t size) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<std::size_t>(found.st_size) == size;
}

/// Whether what lies there is what its name says. One that was changed since is written anew.
bool is_whole(const std::filesystem::path& path, std::size_t size, const std::string& sha256) {
  if (!has_size(path, size)) return false;
  Sha256 digest;
  const Status read = read_regular_file(path, [&](std::string_view piece) -> Status {
    digest.update(piece);
    return {};
  });
  return read && digest.finish_hex() == sha256;
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
  // A file of that name was renamed into place, so its bytes were on disk before; its directory
  // entry may not be yet, if its writer was killed just then.
  if (!is_whole(path, bytes.size(), sha256)) {
    HalfWritten fresh(folder_);
    fresh.write(bytes);
    fresh.name(path);
  }
  sync_directory(path.parent_path());
  return sha256;
}

/// Its name is known only when the last byte has been copied.
Result<KeptFile> PayloadFiles::keep_file(const std::filesystem::path& source) const {
  directories_.make(folder_);
  HalfWritten copy(folder_);
  Sha256 digest;
  KeptFile kept;
  const Status copied = read_regular_file(source, [&](std::string_view piece) -> Status {
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
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw system_fault("open", path, errno);
  struct stat found{};
  if (::fstat(file.raw(), &found) != 0) throw system_fault("read", path, errno);
  std::string bytes(static_cast<std::size_t>(found.st_size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::read(file.raw(), bytes.data() + done, bytes.size() - done);
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

}  // namespace pawl::sqlite
