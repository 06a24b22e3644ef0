#pragma once

/// Which events somebody wants to see, as people write it.

#include <set>
#include <string>
#include <vector>

#include "pawl/core/event.hpp"
#include "pawl/core/result.hpp"
#include "pawl/core/time.hpp"

namespace pawl::views {

/// The event types that match one of the patterns: "gate.rejected", "gate.*", "*ed". All of them if
/// there is no pattern. `invalid` if a pattern matches none, with the nearest type or the list.
[[nodiscard]] Result<std::set<EventType>> event_types_of(const std::vector<std::string>& patterns);

/// The time that a text means: a duration before now ("15m") or an RFC 3339 time. No time if the
/// text is empty; `invalid` for any other text.
[[nodiscard]] Result<Timestamp> time_since(const std::string& text, Timestamp now);

}  // namespace pawl::views
