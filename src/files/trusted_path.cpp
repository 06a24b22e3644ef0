#include "files/trusted_path.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <grp.h>
#include <pwd.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace pawl::files {

namespace fs = std::filesystem;

namespace {

constexpr int links_max = 40;  // as the kernel

/// The user that called sudo, where root was called by it. Nobody but its caller sets root's
/// variables.
std::optional<uid_t> sudo_caller() {
  if (::geteuid() != 0) return std::nullopt;
  const char* const value = std::getenv("SUDO_UID");
  if (value == nullptr) return std::nullopt;
  const std::string_view text(value);
  uid_t user = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), user);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return user;
}

/// The functions that walk through users are not for several threads at once.
std::mutex& users_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::string name_of_user(uid_t user) {
  const std::lock_guard lock(users_mutex());
  const passwd* const known = ::getpwuid(user);
  return known == nullptr ? std::to_string(user) : known->pw_name;
}

/// Whether the group is the private one of a trusted user: it has the user's name, is that user's
/// own, and nobody else is a member. Members of other groups may be known to a directory service
/// that does not list them.
bool has_only_trusted_members(gid_t number) {
  const std::lock_guard lock(users_mutex());
  const group* const found = ::getgrgid(number);
  if (found == nullptr) return false;
  const std::string name = found->gr_name;
  for (char** member = found->gr_mem; *member != nullptr; ++member) {
    if (name != *member) return false;
  }
  const passwd* const user = ::getpwnam(name.c_str());
  return user != nullptr && user->pw_gid == number && is_trusted_owner(user->pw_uid);
}

/// Rights of single users and groups stand in a list beside the mode; the group's bits are then
/// only the most that any of them has.
bool has_access_list(const fs::path& path) {
  return ::lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

bool others_may_write(const fs::path& path, const struct stat& found) {
  if ((found.st_mode & S_IWOTH) != 0) return true;
  if ((found.st_mode & S_IWGRP) == 0) return false;
  return has_access_list(path) || !has_only_trusted_members(found.st_gid);
}

std::string octal(mode_t mode) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), mode & 07777U, 8);
  return "0" + std::string(digits.data(), end.ptr);
}

std::string quoted(const fs::path& path) { return "'" + path.string() + "'"; }

constexpr auto or_trust =
    "; or, if you trust everybody who can write there: --trust-owner for this call, or "
    "PAWL_TRUST_OWNER=1";

Status check_owner(const fs::path& path, const struct stat& found) {
  if (is_trusted_owner(found.st_uid)) return {};
  return fail(
      ErrorCode::refused,
      quoted(path) + " belongs to another user (" + name_of_user(found.st_uid) +
          "), who could make pawl run commands as you",
      std::string("work in a directory of your own, or look at everything in it before you make it "
                  "yours") +
          or_trust);
}

Status check_writers(const fs::path& path, const struct stat& found) {
  if (!others_may_write(path, found)) return {};
  return fail(ErrorCode::refused,
              quoted(path) + " can be written by other users (mode " + octal(found.st_mode) +
                  "), who could make pawl run commands as you",
              ((found.st_mode & S_ISVTX) != 0 ? "use a directory of your own below it"
                                              : "close it: chmod go-w " + quoted(path)) +
                  or_trust);
}

void push_parts(std::deque<std::string>& parts, const fs::path& path) {
  auto at = parts.begin();
  for (const fs::path& part : path.relative_path()) {
    if (part.empty() || part == ".") continue;
    at = parts.insert(at, part.string()) + 1;
  }
}

}  // namespace

bool is_trusted_owner(uid_t user) {
  return user == 0 || user == ::geteuid() || user == sudo_caller();
}

Status check_trusted(const fs::path& path, const struct stat& found) {
  if (const Status owner = check_owner(path, found); !owner || S_ISLNK(found.st_mode)) return owner;
  return check_writers(path, found);
}

/// Looked at from the root on: what was looked at cannot be changed by others any more, so the
/// names are as good as open directories.
Status check_trusted(const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (error) return fail(ErrorCode::unavailable, "cannot find " + quoted(path));
  std::deque<std::string> parts;
  push_parts(parts, whole);
  fs::path at = "/";
  int links = 0;
  while (!parts.empty()) {
    const std::string name = parts.front();
    parts.pop_front();
    if (name == "..") {
      at = at.parent_path();
      continue;
    }
    const fs::path next = at / name;
    struct stat found{};
    // Missing, or not ours to look at: then nothing there can be opened either.
    if (::lstat(next.c_str(), &found) != 0) return {};
    const bool is_shared_on_the_way =
        S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0 && !parts.empty();
    const Status safe =
        is_shared_on_the_way ? check_owner(next, found) : check_trusted(next, found);
    if (!safe) return safe;
    if (!S_ISLNK(found.st_mode)) {
      at = next;
      continue;
    }
    const fs::path target = fs::read_symlink(next, error);
    if (error || ++links > links_max) return {};  // it cannot be opened either
    if (target.is_absolute()) at = "/";
    push_parts(parts, target);
  }
  return {};
}

}  // namespace pawl::files
