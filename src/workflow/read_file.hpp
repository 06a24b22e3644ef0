#pragma once

/// A whole workflow file, key by key.

#include <filesystem>

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// `project` is what paths are relative to.
[[nodiscard]] FileDraft read_file(Faults& faults, const YamlNode& root,
                                  const std::filesystem::path& project);

}  // namespace pawl::workflow
