#pragma once

/// Reads the action of a stage: its command, script or people, and its inputs and outputs.

#include <filesystem>

#include "workflow/draft.hpp"
#include "workflow/map_reader.hpp"

namespace pawl::workflow {

void read_action(const MapReader& stage, const std::filesystem::path& project, StageDraft& draft);

}  // namespace pawl::workflow
