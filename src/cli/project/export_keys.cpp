#include "cli/project/export_keys.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/output/render.hpp"
#include "pawl/transfer/transfer.hpp"

namespace pawl::cli {
namespace fs = std::filesystem;

namespace {

constexpr mode_t readable_by_others = 077;
constexpr mode_t writable_by_others = 022;
constexpr std::streamsize key_bytes_max = 64 * 1024;

std::string in_octal(mode_t mode) {
  std::ostringstream out;
  out << '0' << std::oct << (mode & 0777U);
  return out.str();
}

/// Checks that the owner is this user or root, and that the mode has none of these bits.
Status is_private(const fs::path& path, mode_t forbidden, const char* verb, const char* mode) {
  struct stat status{};
  const std::string name = "'" + printable(path.string()) + "'";
  if (::stat(path.c_str(), &status) != 0) {
    return fail(ErrorCode::not_found, "cannot read file " + name);
  }
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return fail(ErrorCode::refused, "the key " + name + " belongs to another user",
                "use a copy that belongs to you");
  }
  if ((status.st_mode & forbidden) == 0) return {};
  return fail(ErrorCode::refused,
              "others can " + std::string(verb) + " the key " + name + " (mode " +
                  in_octal(status.st_mode) + ")",
              "chmod " + std::string(mode) + " " + printable(path.string()));
}

Result<std::string> read_key(const fs::path& path) {
  std::error_code ignored;
  std::ifstream in;
  if (fs::is_regular_file(path, ignored)) in.open(path, std::ios::binary);
  std::string text(key_bytes_max, '\0');
  in.read(text.data(), key_bytes_max);
  if (!in.is_open() || in.bad()) {
    return fail(ErrorCode::not_found, "cannot read file '" + printable(path.string()) + "'");
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

Result<std::string> read_trusted_key(const fs::path& path) {
  if (Status fine = is_private(path, writable_by_others, "change", "go-w"); !fine) {
    return std::unexpected(fine.error());
  }
  Result<std::string> key = read_key(path);
  if (!key) return key;
  if (const Result<std::string> known = key_fingerprint(*key); !known) {
    return fail(known.error().code, "'" + printable(path.string()) + "': " + known.error().message,
                "create a public key: openssl pkey -in key.pem -pubout");
  }
  return key;
}

}  // namespace

Result<std::string> read_signing_key(const fs::path& file) {
  if (Status fine = is_private(file, readable_by_others, "read", "600"); !fine) {
    return std::unexpected(fine.error());
  }
  return read_key(file);
}

Result<std::vector<std::string>> read_trusted_keys(const std::vector<fs::path>& files,
                                                   const fs::path& folder) {
  std::vector<fs::path> all = files;
  std::error_code error;
  if (fs::is_directory(folder, error)) {
    if (Status fine = is_private(folder, writable_by_others, "add to", "go-w"); !fine) {
      return std::unexpected(fine.error());
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".pem") all.push_back(entry.path());
    }
    std::sort(all.begin() + static_cast<std::ptrdiff_t>(files.size()), all.end());
  }
  std::vector<std::string> keys;
  for (const fs::path& path : all) {
    Result<std::string> key = read_trusted_key(path);
    if (!key) return std::unexpected(key.error());
    keys.push_back(*std::move(key));
  }
  return keys;
}

}  // namespace pawl::cli
