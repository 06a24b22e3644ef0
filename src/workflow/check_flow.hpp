#pragma once

/// Checks how the stages are connected: needs, scopes, pools, and policies that name other stages.

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// Resolves the needs. A misspelt need is a fault and is then read as the nearest stage, so that it
/// causes no further faults. Call it before all other checks.
void resolve_needs(Faults& faults, FileDraft& file);

void check_flow(Faults& faults, const FileDraft& file);

}  // namespace pawl::workflow
