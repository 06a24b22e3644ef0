#include "sqlite/faults.hpp"

#include <cerrno>
#include <cstring>

namespace pawl::sqlite {

namespace {

std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

Error disk_full(const std::filesystem::path& path) {
  return {ErrorCode::unavailable, "the disk is full: nothing was written to " + quoted(path),
          "free space on " + quoted(path.parent_path().empty() ? "." : path.parent_path()) +
              "; pawl goes on by itself"};
}

bool is_want_of_space(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

}  // namespace

Error error_of(const DbError& error, const std::filesystem::path& path) {
  const std::string said = std::string(": ") + error.what();
  // Where there is no room for the name of a new file, SQLite only says that it cannot open it.
  if (error.primary_code() == SQLITE_CANTOPEN && is_want_of_space(error.error_number)) {
    return disk_full(path);
  }
  switch (error.primary_code()) {
    case SQLITE_FULL:
      return disk_full(path);
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
      return {ErrorCode::unavailable, "the disk does not answer for " + quoted(path) + said,
              "check the disk and its free space; pawl goes on by itself"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {ErrorCode::unavailable, "another program keeps " + quoted(path) + " locked" + said,
              "close the program that holds it; pawl goes on by itself"};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {ErrorCode::corrupt, quoted(path) + " is damaged or is no pawl database" + said,
              "restore it from a backup, or name another file; nothing was changed"};
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::refused, "cannot write " + quoted(path) + said,
              "allow this user to write the file and its directory, or name another file"};
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
      return {ErrorCode::corrupt,
              "a row that breaks a promise was not written to " + quoted(path) + said};
    case SQLITE_TOOBIG:
      return {ErrorCode::invalid, "a value is too large for " + quoted(path) + said,
              "keep large outputs as files"};
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
