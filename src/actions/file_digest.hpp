#pragma once

#include <filesystem>
#include <string>

#include "pawl/core/result.hpp"

namespace pawl::actions {

/// The SHA-256 of the file's bytes, in hexadecimal. `unavailable` if it cannot be read.
[[nodiscard]] Result<std::string> digest_of(const std::filesystem::path& path);

}  // namespace pawl::actions
