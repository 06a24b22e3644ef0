#pragma once

/// The queries that a worker repeats to find work. Each is one round trip and writes nothing.

#include <optional>
#include <vector>

#include "pawl/store/store.hpp"
#include "sql/session.hpp"

namespace pawl::postgres {

/// The lanes that have Ready tasks, in lane order: one probe of the index for each, however many
/// tasks wait.
[[nodiscard]] std::vector<LaneHead> lane_heads(sql::Session& session);

/// The earliest retry, answer, notice or deadline after `now`; none: nothing.
[[nodiscard]] Timestamp earliest_timer(sql::Session& session, Timestamp now);

/// What a sweep answers that has nothing to do; none: there is something.
[[nodiscard]] std::optional<Swept> nothing_to_sweep(sql::Session& session, Timestamp now,
                                                    WorkerId self);

}  // namespace pawl::postgres
