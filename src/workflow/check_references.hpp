#pragma once

/// Checks references: they exist, are available where they are used, can be reached through
/// `needs`, and have a type that fits. Call it after `resolve_needs` (check_flow.hpp).

#include "workflow/draft.hpp"

namespace pawl::workflow {

void check_references(Faults& faults, const FileDraft& file);

}  // namespace pawl::workflow
