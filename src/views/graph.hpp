#pragma once

/// The graph of a workflow.

#include "pawl/core/job.hpp"
#include "pawl/core/workflow.hpp"

namespace pawl::views {

/// {"workflow","hash","stages":[{"name","needs","kind","scope","review"}]}; with a job also the
/// counts of each stage.
[[nodiscard]] Json graph_document(const Workflow& workflow, const Job* job);

}  // namespace pawl::views
