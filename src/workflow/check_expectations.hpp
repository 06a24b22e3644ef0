#pragma once

/// Checks the expectations of gates and of `when`: they name declared fields, and their operators
/// and values fit the types.

#include "workflow/draft.hpp"

namespace pawl::workflow {

void check_expectations(Faults& faults, const FileDraft& file);

}  // namespace pawl::workflow
