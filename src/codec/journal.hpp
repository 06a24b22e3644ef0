#pragma once

/// The text of one journal row: the events of one step, on the hot path of every step.
///
/// One event a line: type,item,task,attempt,code,count,when,text. Zeros are left empty, empty
/// fields at the end are left out, and '=' repeats the item or task of the line above. The text is
/// last, so it may hold commas; backslash, newline and NUL are escaped.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/core/event.hpp"
#include "pawl/core/result.hpp"

namespace pawl {

inline constexpr std::size_t events_per_row = 16;

/// Appends one row's text; allocates nothing but the growth of `out`. REQUIRES: at most
/// `events_per_row` events. `seq`, `job` and `at` are the row's and are not written.
void append_events(std::string& out, std::span<const Event> events);

/// The events of a row, with seq = row · 16 + place. `corrupt` when the text is damaged.
[[nodiscard]] Result<std::vector<Event>> read_events(std::string_view text, EventSeq row, JobId job,
                                                     Timestamp at);

}  // namespace pawl
