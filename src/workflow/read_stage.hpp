#pragma once

/// One stage of a workflow file.

#include <filesystem>

#include "workflow/draft.hpp"
#include "workflow/read_policies.hpp"

namespace pawl::workflow {

/// `project` is what paths are relative to.
[[nodiscard]] StageDraft read_stage(Faults& faults, const YamlMember& stage,
                                    const Defaults& defaults, const std::filesystem::path& project);

}  // namespace pawl::workflow
