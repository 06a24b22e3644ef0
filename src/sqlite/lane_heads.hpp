#pragma once

#include <vector>

#include "pawl/store/store.hpp"
#include "sqlite/db.hpp"

namespace pawl::sqlite {

/// The lanes that have Ready tasks, in lane order: one probe of the index for each, however many
/// tasks wait.
[[nodiscard]] std::vector<LaneHead> lane_heads(Connection& connection);

}  // namespace pawl::sqlite
