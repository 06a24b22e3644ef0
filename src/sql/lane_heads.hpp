#pragma once

#include <vector>

#include "pawl/store/store.hpp"
#include "sql/session.hpp"

namespace pawl::sql {

/// The lanes that have Ready tasks, in lane order. Costs one index lookup for each lane, however
/// many tasks wait.
[[nodiscard]] std::vector<LaneHead> lane_heads(Session& session);

}  // namespace pawl::sql
