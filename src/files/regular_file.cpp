#include "files/regular_file.hpp"

#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pawl::files {

namespace {

constexpr std::size_t piece_size = 256 * 1024;

struct Opened {
  explicit Opened(int number) : raw(number) {}
  ~Opened() {
    if (raw >= 0) ::close(raw);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  const int raw;
};

std::unexpected<Error> cannot_read(const std::filesystem::path& path, int number) {
  const std::string message = "cannot read '" + path.string() + "': " + std::strerror(number);
  switch (number) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return fail(ErrorCode::invalid, "there is no file '" + path.string() + "'");
    case ENXIO:
    case ENODEV:
      return fail(ErrorCode::invalid, "'" + path.string() + "' is no regular file");
    case EACCES:
    case EPERM:
      return fail(ErrorCode::refused, message, "allow this user to read it");
    default:
      return fail(ErrorCode::unavailable, message);
  }
}

}  // namespace

Status read_regular_file(const std::filesystem::path& path,
                         const std::function<Status(std::string_view)>& take) {
  // Without O_NONBLOCK the opening of a pipe waits for its writer.
  const Opened file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.raw < 0) return cannot_read(path, errno);
  struct stat found{};
  if (::fstat(file.raw, &found) != 0) return cannot_read(path, errno);
  if (!S_ISREG(found.st_mode)) {
    return fail(ErrorCode::invalid, "'" + path.string() + "' is no regular file",
                S_ISDIR(found.st_mode) ? "name the files in the directory" : "");
  }
  std::string piece(piece_size, '\0');
  for (;;) {
    const ssize_t got = ::read(file.raw, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return cannot_read(path, errno);
    if (got == 0) return {};
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    if (const Status taken = take(bytes); !taken) return taken;
  }
}

}  // namespace pawl::files
