#pragma once

/// References exist, may stand where they stand, can be reached through `needs`, and have a type
/// that fits. After the needs are settled (`check_flow`).

#include "workflow/draft.hpp"

namespace pawl::workflow {

void check_references(Faults& faults, const FileDraft& file);

}  // namespace pawl::workflow
