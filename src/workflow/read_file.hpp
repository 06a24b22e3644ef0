#pragma once

/// Reads a whole workflow file, key by key.

#include <filesystem>

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// Paths in the file are relative to `project`.
[[nodiscard]] FileDraft read_file(Faults& faults, const YamlNode& root,
                                  const std::filesystem::path& project);

}  // namespace pawl::workflow
