#pragma once

/// Files and directories for this user alone: 0600 and 0700, whatever the umask says.
///
/// What root makes in a directory of another user is given to that user, who would be locked out of
/// its own store otherwise.

#include <expected>
#include <filesystem>
#include <system_error>

#include "files/descriptor.hpp"
#include "pawl/core/result.hpp"

namespace pawl::files {

/// Makes the directory where it is missing; answers whether it did. What is above it must be there.
[[nodiscard]] std::expected<bool, std::error_code> make_private_directory(
    const std::filesystem::path& path);
/// Makes each directory of the path that is missing.
[[nodiscard]] Status make_private_directories(const std::filesystem::path& path);

/// Makes the file. Not open, with `errno`, where that fails: EEXIST where there is one.
[[nodiscard]] Descriptor make_private_file(const std::filesystem::path& path);
/// Opens the file for reading and writing, and makes it where it is missing. Never through a link.
/// Not open, with `errno`, where that fails.
[[nodiscard]] Descriptor open_private_file(const std::filesystem::path& path);

/// Takes the right to write away from others, if the file or directory is ours and not a link. The
/// right to read stays: the owner may have given it. REQUIRES: the path is trusted, so that nobody
/// else changes what it names meanwhile.
void deny_writing_to_others(const std::filesystem::path& path);

/// Gives a file that root has made to the owner of the directory it is in.
void give_to_owner_of(const std::filesystem::path& directory, int file);

}  // namespace pawl::files
