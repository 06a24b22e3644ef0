#pragma once

/// What a stage needs of this machine, and whether it is there.

#include <filesystem>
#include <functional>

#include "pawl/core/workflow.hpp"

namespace pawl::actions {

/// Whether nothing is there. A file that cannot be examined may be there.
[[nodiscard]] bool is_missing(const std::filesystem::path& path);

/// Whether the scripts of the stage exist, for a job with these labels; empty if it has none.
[[nodiscard]] std::function<bool(const Json& job_labels)> check_of_scripts(
    const StageDefinition& stage);

}  // namespace pawl::actions
