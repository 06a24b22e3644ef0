#pragma once

/// What a stage needs of this machine, and whether it is there.

#include <filesystem>
#include <functional>
#include <string>

#include "pawl/actions/actions.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::actions {

/// Whether nothing is there. A file that cannot be examined may be there.
[[nodiscard]] bool is_missing(const std::filesystem::path& path);

/// "the secret KEY is not set here". Not escaped.
[[nodiscard]] std::string in_words(const MissingNeed& need);

/// Whether the scripts of the stage exist, for a job with these labels; empty if it has none.
[[nodiscard]] std::function<bool(const Json& job_labels)> check_of_scripts(
    const StageDefinition& stage);

}  // namespace pawl::actions
