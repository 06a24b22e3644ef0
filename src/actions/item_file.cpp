#include "actions/item_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pawl/actions/work_files.hpp"
#include "pawl/codec/digest.hpp"
#include "pawl/codec/json.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::actions {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece_bytes = std::size_t{1} << 18U;

std::unexpected<Error> not_opened(const std::string& path, int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return fail(ErrorCode::not_found, "the file '" + path + "' is gone");
    case ELOOP:
      return fail(ErrorCode::refused, "'" + path + "' leads over a symbolic link");
    default:
      return fail(ErrorCode::unavailable, "cannot read '" + path + "': " + std::strerror(number));
  }
}

/// Opens the file below the directory, step by step, so that no step is a symbolic link.
Result<files::Descriptor> open_below(const fs::path& directory, const fs::path& path) {
  files::Descriptor at(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at.is_open()) return not_opened(directory.string(), errno);
  for (auto part = path.begin(); part != path.end(); ++part) {
    const bool is_last = std::next(part) == path.end();
    const int flags = is_last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
    files::Descriptor next(::openat(at.get(), part->c_str(), flags | O_NOFOLLOW | O_CLOEXEC));
    if (!next.is_open()) {
      const int number = errno;
      // A link where a directory is wanted is not a directory either.
      struct stat found{};
      const bool is_link = ::fstatat(at.get(), part->c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
                           S_ISLNK(found.st_mode);
      return not_opened(path.string(), is_link ? ELOOP : number);
    }
    at = std::move(next);
  }
  return at;
}

/// The path of the item's file inside the project.
Result<fs::path> path_of(const Job& job, const Item& item) {
  const auto described = field(job.labels, "items").json();
  const auto items = described
                         ? items_from(*described)
                         : Result<ItemsSpec>(std::unexpected(Error{ErrorCode::refused, {}, {}}));
  const auto text = field(item.data, "path").string();
  if (!items || items->kind != ItemsSpec::Kind::glob || !text) {
    return fail(ErrorCode::refused, "item '" + item.key + "' was not made of a file",
                "only the items of a glob are");
  }
  const fs::path path = fs::path(*text).lexically_normal();
  const bool is_inside = !path.empty() && path.is_relative() && *path.begin() != ".." &&
                         path.has_filename() && path != ".";
  if (is_inside && text->find('\0') == std::string::npos) return path;
  return fail(ErrorCode::refused, "'" + *text + "' is not inside the project");
}

Result<std::string> digest_of(const files::Descriptor& file) {
  Sha256 digest;
  for (std::int64_t from = 0;;) {
    const Result<std::string> piece = read_range(file, from, piece_bytes);
    if (!piece) return std::unexpected(piece.error());
    if (piece->empty()) return digest.finish_hex();
    digest.update(*piece);
    from += static_cast<std::int64_t>(piece->size());
  }
}

}  // namespace

Result<std::string> read_range(const files::Descriptor& file, std::int64_t from,
                               std::size_t bytes_max) {
  std::string bytes(bytes_max, '\0');
  for (;;) {
    const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), from);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return fail(ErrorCode::unavailable,
                  std::string("cannot read a file: ") + std::strerror(errno));
    }
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
}

Result<ItemFile> open_item_file(const Job& job, const Item& item) {
  if (!is_trusted(job.trust)) {
    return fail(ErrorCode::refused, "job " + std::to_string(job.id.value()) +
                                        " is not trusted: what it names is not "
                                        "read");
  }
  const Result<fs::path> path = path_of(job, item);
  if (!path) return std::unexpected(path.error());
  const std::string project = field(job.labels, "project").string().value_or("");
  if (!fs::path(project).is_absolute()) {
    return fail(ErrorCode::refused, "the job does not say where its project is");
  }
  Result<files::Descriptor> file = open_below(project, *path);
  if (!file) return std::unexpected(file.error());
  struct stat found{};
  if (::fstat(file->get(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return fail(ErrorCode::refused, "'" + path->string() + "' is not a regular file");
  }
  const Result<std::string> digest = digest_of(*file);
  if (!digest) return std::unexpected(digest.error());
  const Json files = field(job.labels, "files").json().value_or(Json());
  if (compared_digest(*digest, files) != item.data_sha256) {
    return fail(ErrorCode::refused,
                "'" + path->string() + "' has changed since the item was submitted",
                "the item was made of other bytes");
  }
  return ItemFile{.file = std::move(*file),
                  .name = path->filename().string(),
                  .sha256 = *digest,
                  .size = found.st_size};
}

}  // namespace pawl::actions
