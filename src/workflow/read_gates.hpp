#pragma once

/// `gates` of a stage, and expectations as gates and `when` have them.

#include <filesystem>

#include "workflow/draft.hpp"
#include "workflow/map_reader.hpp"

namespace pawl::workflow {

/// Reads the JSON Schemas that gates name from `project`.
void read_gates(const MapReader& stage, const std::filesystem::path& project, StageDraft& draft);

/// `when`: one reference, or {reference: expectation}.
void read_condition(const MapReader& stage, StageDraft& draft);

}  // namespace pawl::workflow
