#pragma once

/// Reads the `gates` of a stage, and the expectations of gates and `when`.

#include <filesystem>

#include "workflow/draft.hpp"
#include "workflow/map_reader.hpp"

namespace pawl::workflow {

/// Reads the JSON Schemas that gates name relative to `project`.
void read_gates(const MapReader& stage, const std::filesystem::path& project, StageDraft& draft);

/// Reads `when`: one reference, or {reference: expectation}.
void read_condition(const MapReader& stage, StageDraft& draft);

}  // namespace pawl::workflow
