#pragma once

/// What a stage does: its command, script or people, and what goes in and comes out.

#include <filesystem>

#include "workflow/draft.hpp"
#include "workflow/map_reader.hpp"

namespace pawl::workflow {

void read_action(const MapReader& stage, const std::filesystem::path& project, StageDraft& draft);

}  // namespace pawl::workflow
