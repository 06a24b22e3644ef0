#pragma once

/// Reads one stage of a workflow file.

#include <filesystem>

#include "workflow/draft.hpp"
#include "workflow/read_policies.hpp"

namespace pawl::workflow {

/// Paths in the stage are relative to `project`.
[[nodiscard]] StageDraft read_stage(Faults& faults, const YamlMember& stage,
                                    const Defaults& defaults, const std::filesystem::path& project);

}  // namespace pawl::workflow
