#pragma once

/// Whether a path can only have been put there, and can only be changed, by this user and root.
///
/// What lies in a store and in a run directory decides which commands run as this user, which
/// processes are ended and which directories are removed. So it is not used when somebody else
/// could have written it.
///
/// Trusted are the effective user and root; for root called by sudo also the user that called it
/// (SUDO_UID), which may run everything as root anyway. A group that may write counts as others,
/// unless nobody but trusted users is in it: with a umask of 002, as is usual where each user has a
/// group of its own, that is the case for most directories.

#include <filesystem>

#include <sys/stat.h>
#include <sys/types.h>

#include "pawl/core/result.hpp"

namespace pawl::files {

/// `refused`, naming the first part of the path that is not safe and the ways out.
///
/// Each directory and each link on the way must belong to a trusted user, and nobody else may
/// write to it; but for the last part, a directory with the sticky bit (/tmp) may be writable,
/// since nobody renames or removes there what is another's. What is missing is not looked at: check
/// again after making it. When this answers well nobody else can change the answer.
[[nodiscard]] Status check_trusted(const std::filesystem::path& path);

/// The same for one thing that is open or was looked at: owner and mode alone. `path` is its name.
[[nodiscard]] Status check_trusted(const std::filesystem::path& path, const struct stat& found);

/// Whether this user is trusted to own what we use.
[[nodiscard]] bool is_trusted_owner(uid_t user);

}  // namespace pawl::files
