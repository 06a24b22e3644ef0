#pragma once

/// The people to whom the reviews of a workflow file can be assigned.

#include <string>
#include <vector>

#include "cli/project/workflow_source.hpp"
#include "pawl/store/store.hpp"

namespace pawl::cli {

/// The people and groups of the store that a job of this file would be submitted to; empty if there
/// is no store.
[[nodiscard]] Result<std::vector<std::string>> known_people(const Session& session,
                                                            const WorkflowSource& source);

}  // namespace pawl::cli
