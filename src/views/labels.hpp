#pragma once

/// The labels of states in tables. Filters and events use the names of the model.

#include <string_view>

#include "pawl/core/item.hpp"
#include "pawl/core/job.hpp"
#include "pawl/core/task.hpp"

namespace pawl::views {

/// "queued", "retrying", "review", "done", "dead" …
[[nodiscard]] std::string_view label_of(StateKind state);
[[nodiscard]] std::string_view label_of(ItemState state);
[[nodiscard]] std::string_view label_of(JobState state);

}  // namespace pawl::views
