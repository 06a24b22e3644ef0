#pragma once

/// Reading a file that somebody else made and named: it may be missing, a directory or a pipe that
/// nobody writes to, and none of that may hang a worker.

#include <filesystem>
#include <functional>
#include <string_view>

#include "pawl/core/result.hpp"

namespace pawl::files {

/// Hands the bytes of a file to `take`, piece by piece and in order, until it answers an error.
/// `invalid` where there is no file, or it is no regular one.
[[nodiscard]] Status read_regular_file(const std::filesystem::path& path,
                                       const std::function<Status(std::string_view)>& take);

}  // namespace pawl::files
