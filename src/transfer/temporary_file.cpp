#include "transfer/temporary_file.hpp"

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include <unistd.h>

namespace pawl::transfer {

Result<TemporaryFile> TemporaryFile::make(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path where =
      folder.empty() ? std::filesystem::temp_directory_path(error) : folder;
  std::string name = (where / "pawl-import-XXXXXX").string();
  const int file = error ? -1 : ::mkstemp(name.data());
  if (file < 0) {
    return fail(ErrorCode::unavailable,
                "cannot make a temporary file in '" + where.string() + "': " + std::strerror(errno),
                "set TMPDIR to a folder with space");
  }
  ::close(file);
  return TemporaryFile(name);
}

TemporaryFile::TemporaryFile(std::filesystem::path path)
    : path_(std::move(path)), out_(path_, std::ios::binary) {}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), out_(std::move(other.out_)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

Status TemporaryFile::append(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return out_ ? Status() : fail(ErrorCode::unavailable, "cannot write '" + path_.string() + "'");
}

Status TemporaryFile::flush() {
  out_.flush();
  return out_ ? Status() : fail(ErrorCode::unavailable, "cannot write '" + path_.string() + "'");
}

}  // namespace pawl::transfer
