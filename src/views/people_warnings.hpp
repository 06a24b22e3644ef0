#pragma once

/// Warnings about people to whom reviews are assigned. A store without people has none: there
/// everybody may answer. The texts are not escaped.

#include <string>
#include <vector>

#include "pawl/core/actor.hpp"
#include "pawl/core/permission.hpp"
#include "pawl/store/store.hpp"
#include "pawl/workflow/file.hpp"

namespace pawl::views {

/// These people and their groups, as "group:NAME".
[[nodiscard]] std::vector<std::string> known_people(const std::vector<Person>& people);

/// About these people and groups ("group:NAME"): those that the store does not know, and those that
/// may not answer a review. `local` is the local user, who may answer unless the store gives that
/// name a lower role; without a name: nobody.
[[nodiscard]] Result<std::vector<std::string>> assignee_warnings(
    Store& store, const std::vector<std::string>& assignees, const Actor& local);

/// About a job of this file: assignees whom the store does not know, and stages whose reviews the
/// people of the store cannot decide.
[[nodiscard]] Result<std::vector<std::string>> people_warnings(Store& store,
                                                               const WorkflowFile& file,
                                                               const Actor& submitter,
                                                               const Actor& local);

}  // namespace pawl::views
