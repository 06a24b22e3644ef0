#pragma once

/// Reads `items`: where the items of a job come from.

#include "workflow/draft.hpp"

namespace pawl::workflow {

void read_items_source(Faults& faults, const Value& value, FileDraft& file);

}  // namespace pawl::workflow
