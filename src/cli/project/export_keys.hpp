#pragma once

/// Reads the keys of signed exports from files.

#include <filesystem>
#include <string>
#include <vector>

#include "pawl/core/result.hpp"

namespace pawl::cli {

/// PEM text. `refused` if others can read the file, as ssh does.
[[nodiscard]] Result<std::string> read_signing_key(const std::filesystem::path& file);

/// The keys of these files, and those of `folder`/*.pem if it exists. `refused` if others can write
/// to one of them, because they could add their own key.
[[nodiscard]] Result<std::vector<std::string>> read_trusted_keys(
    const std::vector<std::filesystem::path>& files, const std::filesystem::path& folder);

}  // namespace pawl::cli
