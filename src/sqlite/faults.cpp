#include "sqlite/faults.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "files/file_lock.hpp"

namespace pawl::sqlite {

namespace {

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

Error disk_full(const std::filesystem::path& path) {
  return {ErrorCode::unavailable, "the disk is full: nothing was written to " + quoted(path),
          "free space on " + quoted(path.parent_path().empty() ? "." : path.parent_path()) +
              "; pawl then continues by itself"};
}

/// " (process 4242 (sqlite3))": the holders of one of SQLite's locks, as far as they are visible.
std::string holders_of(const std::filesystem::path& path) {
  std::string holders = files::lock_holders(path);
  if (holders.empty()) holders = files::lock_holders(path.string() + "-shm");
  return holders.empty() ? "" : " (" + holders + ")";
}

bool is_want_of_space(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

/// Whether the database, or a file that SQLite keeps beside it, exists and is not writable for us.
bool has_forbidden_file(const std::filesystem::path& path) {
  for (const char* const suffix : {"", "-wal", "-shm"}) {
    const std::string file = path.string() + suffix;
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    if (!std::filesystem::is_regular_file(file, ignored)) return true;
    if (::access(file.c_str(), R_OK | W_OK) != 0) return true;
  }
  return false;
}

/// The errno of creating a file beside this one; 0: it can be created.
int error_of_new_file(const std::filesystem::path& path) {
  static std::atomic<int> looks = 0;
  const std::string name =
      path.string() + ".look-" + std::to_string(::getpid()) + "-" + std::to_string(++looks);
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  ::close(file);
  ::unlink(name.c_str());
  return 0;
}

/// SQLite reports neither which file it could not open nor why: after failing to create one it
/// tries to open one for reading, and the errno of that is of no use.
Error cannot_open(const std::filesystem::path& path, const std::string& said) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && ::access(path.c_str(), R_OK) != 0) {
    return {ErrorCode::refused, "cannot read " + quoted(path) + said,
            "ask the owner of the file for the right to read it"};
  }
  const int error = has_forbidden_file(path) ? EACCES : error_of_new_file(path);
  if (is_want_of_space(error)) return disk_full(path);
  if (error == 0) {
    return {ErrorCode::unavailable, quoted(path) + " could not be opened a moment ago" + said,
            "try again; if it persists, check the free disk space and the permissions of the file"};
  }
  return {ErrorCode::refused, "cannot write " + quoted(path) + said,
          "allow this user to write the file and its directory, or name another file"};
}

}  // namespace

Error error_of(const DbError& error, const std::filesystem::path& path) {
  const std::string said = std::string(": ") + error.what();
  switch (error.primary_code()) {
    case SQLITE_FULL:
      return disk_full(path);
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
      return {ErrorCode::unavailable, "the disk does not answer for " + quoted(path) + said,
              "check the disk and its free space; pawl then continues by itself"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable,
              "another program keeps " + quoted(path) + " locked" + holders_of(path) + said,
              "close the program that holds it; pawl then continues by itself"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::corrupt, quoted(path) + " is damaged or is not a pawl database" + said,
              "restore it from a backup, or name another file; nothing was changed"};
    case SQLITE_CANTOPEN:
      return cannot_open(path, said);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::refused, "cannot write " + quoted(path) + said,
              "allow this user to write the file and its directory, or name another file"};
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return {ErrorCode::corrupt,
              "a row that violates a constraint was not written to " + quoted(path) + said};
    case SQLITE_TOOBIG:
      return {ErrorCode::invalid, "a value is too large for " + quoted(path) + said,
              "store large outputs as files"};
    default:
      return {ErrorCode::unavailable, "the store " + quoted(path) + " failed" + said};
  }
}

Fault system_fault(const std::string& doing, const std::filesystem::path& path, int error_number) {
  const std::string message =
      "cannot " + doing + " " + quoted(path) + ": " + std::strerror(error_number);
  if (is_want_of_space(error_number)) return Fault(disk_full(path));
  switch (error_number) {
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOTDIR:
    case ENOENT:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return Fault(ErrorCode::refused, message,
                   "allow this user to write there, or name another file");
    default:
      return Fault(ErrorCode::unavailable, message);
  }
}

}  // namespace pawl::sqlite
