#pragma once

/// Warnings about people to whom reviews are assigned. A store without people has none: there
/// everybody may answer.

#include <string>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/store/store.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::cli {

/// About these people and groups ("group:NAME"): those that the store does not know, and those that
/// may not answer a review.
[[nodiscard]] Result<std::vector<std::string>> assignee_warnings(
    Store& store, const std::vector<std::string>& assignees);

/// About a job of this file: assignees whom the store does not know, and stages whose reviews the
/// people of the store cannot decide.
[[nodiscard]] Result<std::vector<std::string>> people_warnings(Store& store,
                                                               const WorkflowFile& file,
                                                               const Actor& submitter);

}  // namespace pawl::cli
