#include "actions/handed_in.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "text/numbers.hpp"

namespace pawl::actions {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t piece_size = std::size_t{256} * 1024;

std::unexpected<Error> refused(std::string message, std::string help = {}) {
  return fail(ErrorCode::invalid, std::move(message), std::move(help));
}

std::unexpected<Error> cannot_open(const std::string& path, int error) {
  return refused("cannot open " + path + " (" + std::generic_category().message(error) + ")");
}

/// The name by which the kernel opens the file of a descriptor, wherever its path leads now.
std::string name_of(const files::Descriptor& file) {
  return "/proc/self/fd/" + std::to_string(file.get());
}

/// The real path of an open file or directory.
fs::path real_path(const files::Descriptor& file) {
  std::error_code ignored;
  return fs::read_symlink(name_of(file), ignored);
}

/// Files of /proc and /sys look regular, but their content is made when they are read.
bool is_on_disk(const files::Descriptor& file) {
  struct statfs found{};
  if (::fstatfs(file.get(), &found) != 0) return false;
  return found.f_type != PROC_SUPER_MAGIC && found.f_type != SYSFS_MAGIC;
}

bool is_inside(const fs::path& path, const fs::path& folder) {
  if (folder.empty()) return false;
  const auto [folder_end, path_at] =
      std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return folder_end == folder.end() && path_at != path.end();
}

/// The real path of a directory; empty if it is not one. The last part must not be a link, because
/// a command could have replaced its scratch directory by one.
fs::path real_directory(const fs::path& folder) {
  const files::Descriptor file(
      ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  return file.is_open() ? real_path(file) : fs::path();
}

Status check_place(const FilePlaces& places, const std::string& path, const fs::path& real) {
  if (is_inside(real, real_directory(places.scratch))) return {};
  if (places.given != nullptr && places.given->leads_to(real)) return {};
  if (!fs::path(path).is_absolute()) {
    return refused(path + " leads out of $PAWL_DIR", "copy the file to $PAWL_DIR");
  }
  std::error_code ignored;
  const bool may_be_in_project = !places.project.empty();
  if (may_be_in_project) {
    const fs::path project = fs::canonical(places.project, ignored);
    if (is_inside(real, project / ".pawl")) {
      return refused(path + " is one of pawl's own files", "copy the file to $PAWL_DIR");
    }
    if (is_inside(real, project)) return {};
  }
  const std::string leads_to =
      real == fs::path(path) ? "" : " leads to " + real.string() + ", which";
  return refused(path + leads_to + " lies outside of $PAWL_DIR" +
                     (may_be_in_project ? " and of the project " + places.project.string() : ""),
                 "copy the file to $PAWL_DIR");
}

}  // namespace

Result<HandedIn> HandedIn::open(const FilePlaces& places, const std::string& path) {
  if (path.empty() || path.find('\0') != std::string::npos)
    return refused("the path is empty or contains a zero byte");
  // O_PATH opens nothing yet, so a pipe or a device does not notice it.
  const files::Descriptor found(::open((places.scratch / path).c_str(), O_PATH | O_CLOEXEC));
  if (!found.is_open()) return cannot_open(path, errno);
  struct stat status{};
  if (::fstat(found.get(), &status) != 0) return cannot_open(path, errno);
  if (!S_ISREG(status.st_mode) || !is_on_disk(found)) {
    return refused(path + " is not a regular file");
  }
  HandedIn file;
  file.real_path_ = real_path(found);
  if (file.real_path_.empty()) {
    return refused("cannot find the real path of " + path, "mount /proc");
  }
  if (const Status placed = check_place(places, path, file.real_path_); !placed) {
    return std::unexpected(placed.error());
  }
  files::Descriptor opened(
      ::open(name_of(found).c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!opened.is_open()) return cannot_open(path, errno);
  file.file_ = std::make_shared<const files::Descriptor>(std::move(opened));
  file.size_ = status.st_size;
  return file;
}

ByteSource HandedIn::bytes(std::int64_t bytes_max, std::stop_token stop) const {
  return [file = file_, path = real_path_, bytes_max,
          stop = std::move(stop)](const ByteSink& sink) -> Status {
    std::string piece(piece_size, '\0');
    for (std::int64_t at = 0;;) {
      if (stop.stop_requested()) {
        return fail(ErrorCode::unavailable, "stopped before " + path.string() + " was copied");
      }
      const ssize_t got = ::pread(file->get(), piece.data(), piece.size(), at);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) {
        return fail(ErrorCode::unavailable,
                    "cannot read " + path.string() + ": " + std::generic_category().message(errno));
      }
      if (got == 0) return {};
      at += got;
      if (at > bytes_max) {
        return refused(path.string() + " grew beyond the quota while it was copied");
      }
      const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
      if (const Status taken = sink(bytes); !taken) return taken;
    }
  };
}

Status FileKeeper::check_quota(std::span<const std::string> paths) const {
  const auto count = static_cast<std::int64_t>(paths.size());
  if (paths.size() > quota_.files_max) {
    return refused("the attempt hands in " + text::with_separators(count) + " files, and at most " +
                       text::with_separators(static_cast<std::int64_t>(quota_.files_max)) +
                       " are kept",
                   "pack them into one file");
  }
  std::int64_t sum = 0;
  for (const std::string& path : paths) {
    const Result<HandedIn> file = HandedIn::open(places_, path);
    if (!file) continue;
    sum += std::min(file->size(), quota_.bytes_max + 1 - std::min(sum, quota_.bytes_max));
    if (sum <= quota_.bytes_max) continue;
    return refused("the files of the attempt are larger than its quota of " +
                       text::with_separators(quota_.bytes_max) + " bytes, with " + path + " of " +
                       text::with_separators(file->size()) + " bytes",
                   "keep large data elsewhere and hand in its address, or raise --file-quota");
  }
  return {};
}

Result<Result<FileKeeper::Kept>> FileKeeper::keep(const std::string& path) {
  const Result<HandedIn> file = HandedIn::open(places_, path);
  if (!file) return Result<Kept>(std::unexpected(file.error()));
  const ByteSource source = file->bytes(quota_.bytes_max - bytes_kept_, patience_.stop);
  const Result<KeptFile> kept =
      store::ask_patiently(patience_, [&] { return store_.keep_stream(source); });
  if (!kept) return std::unexpected(kept.error());
  bytes_kept_ += kept->size;
  const std::string own_name = fs::path(path).filename().string();
  return Result<Kept>(Kept{.file = *kept, .name = own_name.empty() ? file->name() : own_name});
}

}  // namespace pawl::actions
