#include "store/payloads/payload_folder.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include <stdlib.h>

namespace pawl::store {

PayloadFolder::~PayloadFolder() {
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Status PayloadFolder::make() {
  if (!folder_.empty()) return {};
  std::error_code error;
  const std::filesystem::path place = std::filesystem::temp_directory_path(error);
  std::string name = (place / "pawl-payloads-XXXXXX").string();
  if (error || ::mkdtemp(name.data()) == nullptr) {
    const std::string why = error ? error.message() : std::strerror(errno);
    return fail(ErrorCode::unavailable, "no temporary directory could be made: " + why,
                "set TMPDIR to a directory that this user may write");
  }
  folder_ = name;
  return {};
}

Result<std::filesystem::path> PayloadFolder::file(std::string_view sha256, std::string_view bytes) {
  return file(sha256, [&](const Take& take) { return take(bytes); });
}

Result<std::filesystem::path> PayloadFolder::file(std::string_view sha256,
                                                  const std::function<Status(const Take&)>& give) {
  if (const Status made = make(); !made) return std::unexpected(made.error());
  std::filesystem::path path = folder_ / sha256;
  std::error_code error;
  if (std::filesystem::exists(path, error)) return path;
  std::ofstream out(path, std::ios::binary);
  const Status given = give([&](std::string_view piece) -> Status {
    out << piece;
    if (out) return {};
    return fail(ErrorCode::unavailable, "cannot write '" + path.string() + "'",
                "free space there, or set TMPDIR to another directory");
  });
  out.close();
  using std::filesystem::perms;
  std::filesystem::permissions(path, perms::owner_read | perms::group_read | perms::others_read,
                               error);
  if (given && out && !error) return path;
  std::filesystem::remove(path, error);
  if (!given) return std::unexpected(given.error());
  return fail(ErrorCode::unavailable, "cannot write '" + path.string() + "'",
              "free space there, or set TMPDIR to another directory");
}

}  // namespace pawl::store
