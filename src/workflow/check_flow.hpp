#pragma once

/// How the stages hang together: needs, scopes, pools, and policies that name other stages.

#include "workflow/draft.hpp"

namespace pawl::workflow {

/// Settles the needs: a misspelt one is a fault and then means the nearest stage, so that nothing
/// follows from it. First of all checks.
void settle_needs(Faults& faults, FileDraft& file);

void check_flow(Faults& faults, const FileDraft& file);

}  // namespace pawl::workflow
