#include "sqlite/preflight.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "files/descriptor.hpp"
#include "files/trusted_path.hpp"
#include "sqlite/faults.hpp"
#include "sqlite/paths.hpp"
#include "sqlite/turnstile.hpp"

namespace pawl::sqlite {

namespace {

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

struct FileSystem {
  std::uint32_t kind;
  const char* name;
};
/// Their locks and shared memory do not provide what SQLite's write-ahead log needs.
constexpr std::array network_kinds{
    FileSystem{0x6969, "NFS"},      FileSystem{0x517B, "SMB"},
    FileSystem{0xFF534D42, "CIFS"}, FileSystem{0xFE534D42, "SMB2"},
    FileSystem{0x5346414F, "AFS"},  FileSystem{0x73757245, "Coda"},
    FileSystem{0x00C36400, "Ceph"}, FileSystem{0x0BD00BD0, "Lustre"},
    FileSystem{0x47504653, "GPFS"},
};
constexpr std::uint32_t fuse = 0x65735546;
/// FUSE is also used for local disks, so these are recognised by the type of the mount.
constexpr std::array<std::string_view, 8> network_mounts{
    "sshfs", "rclone", "s3fs", "gcsfuse", "glusterfs", "davfs", "goofys", "juicefs"};

/// The type of the mount that a device number belongs to ("fuse.sshfs"), or empty.
std::string mount_type_of(dev_t device) {
  const std::string number = std::to_string(major(device)) + ":" + std::to_string(minor(device));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    // "36 35 98:0 /root /mnt rw - type source options": the third field is the device.
    std::istringstream fields(line);
    std::string id, parent, found;
    fields >> id >> parent >> found;
    const std::size_t end = line.find(" - ");
    if (found != number || end == std::string::npos) continue;
    const std::string rest = line.substr(end + 3);
    return rest.substr(0, rest.find(' '));
  }
  return {};
}

void check_file_system(const std::filesystem::path& path, dev_t device) {
  struct statfs found{};
  if (::statfs(path.c_str(), &found) != 0) throw system_fault("use the directory", path, errno);
  const auto kind = static_cast<std::uint32_t>(found.f_type);
  const std::string name =
      network_file_system(kind, kind == fuse ? mount_type_of(device) : std::string());
  if (name.empty()) return;
  throw Fault(ErrorCode::refused,
              quoted(path) + " is on a network file system (" + name +
                  "), which would damage a SQLite database",
              "use a local disk");
}

/// A database begins with these 16 bytes, and its header is 100 bytes long.
void check_header(const std::filesystem::path& path, std::int64_t size) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  constexpr std::int64_t header_size = 100;
  const files::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) throw system_fault("open", path, errno);
  std::array<char, magic.size()> start{};
  const ssize_t got = ::read(file.get(), start.data(), start.size());
  if (got < 0) throw system_fault("read", path, errno);
  const bool is_database =
      size >= header_size && std::string_view(start.data(), start.size()) == magic;
  if (!is_database) {
    throw Fault(ErrorCode::corrupt, quoted(path) + " is not a database",
                "name another file, or restore it from a backup; nothing was changed");
  }
}

/// The store that a directory most likely means: that of its project, if there is one.
std::filesystem::path store_in(const std::filesystem::path& folder) {
  const std::filesystem::path of_project = folder / ".pawl" / "pawl.db";
  return ::access(of_project.c_str(), F_OK) == 0 ? of_project : folder / "pawl.db";
}

std::uintmax_t size_of(const std::filesystem::path& path) {
  std::error_code not_there;
  const std::uintmax_t size = std::filesystem::file_size(path, not_there);
  return not_there ? 0 : size;
}

/// An empty file is a store that another process is just creating, or the rest of one. Check it
/// before SQLite opens it: SQLite would treat the log beside it as outdated and delete it.
void check_empty(const SqliteOptions& options) {
  const std::filesystem::path& path = options.path;
  if (size_of(beside(path, "-wal")) > 0) {
    throw Fault(ErrorCode::corrupt,
                quoted(path) + " is empty, but there is a database log beside it",
                "restore it from a backup, after moving the log '" + beside(path, "-wal").string() +
                    "' away; nothing was changed");
  }
  if (options.create) return;
  // A process that creates a store first writes to the file in its turn.
  std::error_code ignored;
  if (std::filesystem::exists(beside(path, ".next"), ignored)) {
    Turnstile turnstile(path, patience_of(options));
    const Turnstile::Turn turn = turnstile.enter();
    if (size_of(path) > 0) return;
  }
  throw Fault(ErrorCode::not_found, quoted(path) + " is empty: it does not contain a store",
              "restore it from a backup, or remove it to start again; nothing was changed");
}

/// Checks every file that SQLite or pawl would use there, including files that were planted before
/// the directory became private.
void check_owners(const std::filesystem::path& path, const std::filesystem::path& folder) {
  if (const Status safe = files::check_trusted(folder); !safe) throw Fault(safe.error());
  for (const std::string_view suffix : store_suffixes) {
    if (const Status safe = files::check_trusted(beside(path, suffix)); !safe)
      throw Fault(safe.error());
  }
}

void check_writable(const std::filesystem::path& path, const char* what) {
  if (::access(path.c_str(), W_OK) != 0) {
    throw system_fault(std::string("write the ") + what, path, errno);
  }
}

}  // namespace

std::string network_file_system(std::uint32_t kind, std::string_view mount_type) {
  for (const FileSystem& remote : network_kinds) {
    if (remote.kind == kind) return remote.name;
  }
  if (kind != fuse) return {};
  for (const std::string_view remote : network_mounts) {
    if (mount_type.find(remote) != std::string_view::npos) return std::string(mount_type);
  }
  return {};
}

void check_place(const SqliteOptions& options) {
  const std::filesystem::path& path = options.path;
  if (path.empty()) throw Fault(ErrorCode::invalid, "the path of the database is empty");
  if (path.native().find('\0') != std::string::npos) {
    throw Fault(ErrorCode::invalid, "the path of the database contains a zero byte");
  }
  struct stat found{};
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) throw system_fault("open", path, errno);
  if (exists && S_ISDIR(found.st_mode)) {
    throw Fault(ErrorCode::refused, quoted(path) + " is a directory",
                "name a file in it: " + quoted(store_in(path)));
  }
  if (exists && !S_ISREG(found.st_mode)) {
    throw Fault(ErrorCode::refused, quoted(path) + " is not a regular file", "name another file");
  }
  const std::filesystem::path folder = folder_of(path);
  struct stat parent{};
  if (::stat(folder.c_str(), &parent) != 0) throw system_fault("use the directory", folder, errno);
  check_file_system(folder, parent.st_dev);
  if (!options.trust_owner) check_owners(path, folder);
  if (exists && found.st_size > 0) check_header(path, found.st_size);
  if (exists && found.st_size == 0) check_empty(options);
  if (!exists && !options.create) {
    throw Fault(ErrorCode::not_found, "no such database: " + quoted(path));
  }
  if (options.read_only) return;
  check_writable(folder, "directory");
  if (exists) check_writable(path, "database");
}

}  // namespace pawl::sqlite
